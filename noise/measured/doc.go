// Package measured measures the noise of this machine, and finds the noise profile that describes a
// measured trace or histogram. Package formats below it reads what other tools measured. All times
// are in seconds.
//
// # Measuring
//
// [Measure] measures, [Warnings] returns what may disturb a measurement. They work on Linux. On each
// core a thread reads a clock in a loop; the time between two readings beyond the time of the loop is
// a detour.
//
// This is the selfish detour benchmark of P. Beckman, K. Iskra, K. Yoshii and S. Coghlan, "The
// Influence of Operating Systems on the Performance of Collective Operations at Extreme Scale",
// CLUSTER 2006, with the rule for the threshold of netgauge (T. Hoefler, T. Schneider, A.
// Lumsdaine, "Characterizing the Influence of System Noise on Large-Scale Applications by
// Simulation", SC 2010). With work between two readings it is the fixed work quantum benchmark of
// M. Sottile and R. Minnich, "Analysis of Microbenchmarks for Performance Tuning of Clusters",
// CLUSTER 2004.
//
// # Fitting
//
// [FitTrace], [FitLengths], [FitSources] and [FitFleet] find the profile. A [noise.Trace] is
// decomposed in two steps:
//
//  1. Periodic components, one after the other. Differences between the starts of
//     detours that recur far more often than chance has it are candidates for a
//     period (search.go). A candidate is followed over ever more of its
//     cycles, which makes it precise, and its phase is found on every core, and its
//     period by the clock of that core or run (comb.go). If detours stand where it
//     predicts them, they are taken out of the trace, and the search continues.
//  2. The remaining detours are one Poisson component, if its arrivals are without memory
//     (fit.go).
//
// The lengths of each component are fitted by the simplest family that does (lengths.go). At the
// end the components together are compared with the trace (fit.go); if they do not describe
// it, the verdict is to replay the trace itself, with the reason.
//
// The same trace always gives the same profile.
//
// Not found are: periods below 16 µs, and periods of which a core saw fewer than eight cycles;
// periodic detours hidden among some dozens of others of like length in each cycle; and those whose
// clocks differ between cores or runs by more than 10^-4.
package measured
