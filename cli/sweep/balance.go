package sweep

import (
	"cmp"
	"container/heap"
	"slices"

	"jitterfly/datasets"
	"jitterfly/internal/vector"
)

// balance divides configurations among shards whose costs are about equal: the most
// costly configuration that is left goes to the shard with the lowest cost so far. No
// shard then costs more than 4/3 of the optimum (Graham, Bounds on multiprocessing timing
// anomalies, 1969). Ties go to the first, so that the same costs give the same shards.
func balance(costs []float64, shards int) []datasets.Shard {
	loads := make(loads, shards)
	for i := range loads {
		loads[i].shard = i
	}
	owned := make([]datasets.Indexes, shards)
	for _, config := range vector.Order(len(costs), func(i int) float64 { return -costs[i] }) {
		least := &loads[0]
		owned[least.shard] = append(owned[least.shard], config)
		least.cost += costs[config]
		least.count++
		heap.Fix(&loads, 0)
	}
	division := make([]datasets.Shard, shards)
	for _, load := range loads {
		configs := owned[load.shard]
		slices.Sort(configs)
		division[load.shard] = datasets.Shard{Configurations: configs.String(), Cost: load.cost}
	}
	return division
}

// loads is a heap of shards with what they have so far, the lowest cost first.
type loads []struct {
	shard, count int
	cost         float64
}

func (l loads) Len() int      { return len(l) }
func (l loads) Swap(i, j int) { l[i], l[j] = l[j], l[i] }
func (l loads) Less(i, j int) bool {
	return cmp.Or(cmp.Compare(l[i].cost, l[j].cost), cmp.Compare(l[i].count, l[j].count),
		cmp.Compare(l[i].shard, l[j].shard)) < 0
}
func (l loads) Push(any) {}
func (l loads) Pop() any { return nil }
