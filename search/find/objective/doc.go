// Package objective computes the recovery-directed loss of the search,
//
//	L = D + λ(1 − R) + 10³·B.
//
// D is the distance of an expression from a teacher's log density, over rows of simulated trials; a teacher is a neural likelihood. R, at
// most 1, says how well parameters are recovered by maximising the expression. B counts violated constraints: symbols that the expression
// lacks, and constants that it has.
//
// There are two losses. In the paper's, [Paper], D is the mean squared distance, and R comes from profiles: maxima over a grid, one
// parameter at a time (the paper's "grid recovery proxy"). In [Improved], D is robust: it lies in [0, 1) and ignores an additive
// constant. R is a weighted mean of the profiles' and of a joint proxy's, in which all parameters are estimated at once.
//
// # Profiles
//
// R of the profiles is the mean over parameters of ρ − e. A group is the trials of one simulated subject. The group's estimate of
// parameter j is the grid point at which the summed expression is largest, with all other parameters at the truth. ρ is the
// correlation of estimates and true values over the groups, 0 if either has no variance. e is the fraction of estimates at the first
// or last grid point; with [Missed], such an estimate counts only if the truth is nearer to another point. Of equal maxima the lowest
// point counts. With [Role], a point counts as −∞ if it is outside the model's support for any trial of the group, or if the sum is
// not finite. If all points count as −∞, the estimate is the first point, and counts in e. With [Reject], a point outside the
// support may be the estimate, and a sum that is not finite rejects the expression.
//
// # The joint proxy
//
// Each group's estimate is the maximum over all parameters at once, in trials at both boundaries. By default there are 1,000 trials, half
// of R is the mean over parameters, and half is that of the weakest parameter. The joint proxy costs milliseconds per expression. So it is
// computed only if R of the profiles is large enough ([Settings.JointFrom]). Three steps make it fast.
//
// First, condense replaces each group's trials by a few weighted points:
//
//	1,000 trials     ··:·:::|||||||||||::::::·:·:··:···· · ··  ·   ·      sorted response times of one choice
//	                 └┘└─┘└────┘└────────┘└──────┘└─────┘└──────────┘     runs, short at both ends
//	weighted points  ●  ●    ●       ●       ●        ●        ●          a run's mean, weighted by its length
//
// Second, the points are arranged in lanes. A lane is up to ten points of one group and one choice, which share their parameters. Block
// i has the i-th point of every lane. The vector kernels compute one block at a time, all lanes at once:
//
//	              lanes of upper trials       lanes of lower trials
//	group         0    0    1    2    …       0    1    2    …
//	parameters    θ₀   θ₀   θ₁   θ₂   …       θ₀'  θ₁'  θ₂'  …     θ' is θ reflected
//	block 0       rt   rt   rt   rt           rt   rt   rt
//	block 1       rt   rt   rt   rt           rt   rt   ○
//	⋮                                                              ○: a repetition with weight 0
//	block 9       rt   ○    rt   rt           ○    rt   ○
//	              │    │    │    │            │    │    │
//	sum of        └─┬──┘    │    │            │    │    │
//	group 0         └─────────────────────────┘                       the other groups likewise
//
// What an expression computes from parameters alone is the same in all blocks, and is computed once per lane.
//
// Third, a climber maximises all groups together, by damped Newton steps. Derivatives are differences, so one evaluation of the lanes
// gives one difference for every group:
//
//	48 points spread over the ranges
//	       │ the best of each group
//	       ▼
//	    climb: up to 20 steps ──▶ the end of the climb
//	                                 │
//	                                 │ is the sum at the true parameters higher?
//	                  no ◀───────────┴───────────▶ yes: climb again from the truth
//	                   │                                         │
//	                   └───────────────▶ estimate ◀──────────────┘
//
// The second climb starts at the truth because a sampler would find the higher maximum. A climb that ended on no maximum, because the
// expression is too rough to climb, does not get this second chance: it would stay at the truth, which would pass for the estimate.
package objective
