# The commands that draw the pictures of the documents; go test ./cli -run Pictures -update runs them.
go run . sweep --assume paper,hosts --ranks 2^5..2^16 --latency 100ns --os-duration 10us --quiet
go run . figures results --out docs/figures --only completion,t_estimate --width 200mm
go run . sweep --ranks 256 --latency 1us --os-duration 10us --compute 10us,30us,100us,300us,1ms --imbalance 0,2%,20% --quiet --out results/apps
go run . figures results/apps --out docs/figures --only gain --width 200mm
go run . sweep --latency 1us --noise fleet.yaml --class-share 0,0.0001,0.001,0.01,0.1 --ranks 2^4,2^6,2^8,2^10,2^12 --compute 1ms --iterations 4 --redundancy 0 --quiet --out results/shares
go run . figures results/shares --x ranks --y class-share --out docs/figures --only mean
go run . sweep --topology fat-tree:4x4x8,fat-tree:4x4x8:4,torus:8x8 --ranks 64 --engine rounds,flow,packet --controllers 3 --sources 1,2,3 --redundancy 3 --bytes 8B,64B,256B,1KiB,4KiB,16KiB --latency 1us --os-duration 10us --trials 60 --quiet --out results/network
go run . figures results/network --x bytes --out docs/figures --only sources --width 200mm
go run . figures timeline --assume paper --ranks 32 --os-period 100us --redundancy 3 --slowest --out docs/figures/timeline.svg --width 200mm
go run . figures timeline --assume paper --ranks 16 --overhead 200ns --progress polling --poll 20ns --os-period 100us --slowest --out docs/figures/polling.svg --width 200mm
go run . figures timeline --assume paper --collective a2a-ring --topology torus:4x4 --bytes 8KiB --os-period 100us --slowest --out docs/figures/flows.svg --width 200mm
go run . figures timeline --assume paper --engine packet --collective a2at --topology torus:3x3 --bytes 6400B --bandwidth 6.4GB/s --latency 100ns --os-period 20us --os-duration 1us --overhead 100ns --controllers 2 --out docs/figures/packets.svg --width 200mm
go run . figures timeline --assume paper --ranks 8 --net-kind none --os-kind none --latency 2us --axis 14us --out docs/figures/concepts-1-quiet.svg --width 200mm
go run . figures timeline --assume paper --ranks 8 --net-kind none --os-period 60us --os-duration 8us --latency 2us --trial 9 --axis 14us --out docs/figures/concepts-2-detour.svg --width 200mm
go run . figures timeline --assume paper --ranks 8 --net-kind none --os-period 60us --os-duration 8us --latency 2us --trial 9 --redundancy 1 --axis 14us --out docs/figures/concepts-3-redundant.svg --width 200mm
go run . figures timeline --assume paper --ranks 8 --net-kind none --os-period 60us --os-duration 8us --latency 2us --trial 9 --sources 2 --axis 14us --out docs/figures/concepts-4-sources.svg --width 200mm
