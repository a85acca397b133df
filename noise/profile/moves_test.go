package profile

import "testing"

// Another core can take daemons, workers of the kernel and interrupts of devices, and not what each
// core has: its timer, interrupts that others send to it, softirqs, its own threads, stalls.
func TestMoves(t *testing.T) {
	for name, want := range map[string]bool{
		"": true, "kworker": true, "sshd": true, "mlx5_comp": true, "eth-TxRx": true, "rcu_preempt": true,
		"kworker (likely)": true, "others": true,
		"local_timer": false, "arch_timer (likely)": false, "tick": false, "NMI": false, "reschedule": false,
		"call_function_single": false, "irq_work": false, "thermal_apic": false, "x86_platform_ipi": false,
		"softirq SCHED": false, "ksoftirqd": false, "hardware": false, "migration": false, "watchdog": false,
		"cpuhp": false, "idle_inject": false, "local_timer, irregular": false,
	} {
		c := Component{Name: name, Kind: Poisson}
		if got := c.Moves(); got != want {
			t.Errorf("%q moves: %t", name, got)
		}
		if c.Kind = Periodic; c.Moves() {
			t.Errorf("%q moves though it is periodic", name)
		}
	}
}
