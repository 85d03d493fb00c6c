package fit

// fitHelp returns the help of the command fit.
func fitHelp() string {
	return `Draw from the posterior of a model's parameters, given trials:

  likc fit ddm --data trials.csv -o fit                                        one participant
  likc fit ddm --data study.csv --subject id -o fits                           each participant separately
  likc fit ddm --data study.csv --formula 'v ~ 1 + cond + (1 | id)' -o study   all together

The trials of a fit are all rows of the data, the rows of --only ID, or with --subject COLUMN the rows of each subject in turn, in parallel.
MODEL may be the folder of a teacher.

Priors are uniform over each parameter's range unless --prior says otherwise:
  --prior 'v=normal(0,2)' --prior 'a=gamma(mean=1.5,sd=0.75)' --prior 't=halfnormal(0.5)'
Families: uniform, normal, truncnormal, lognormal, student_t, cauchy, halfnormal, halfcauchy, gamma, beta, exponential, weibull.
--prior-preset hssm takes the priors of HSSM 0.4.0, its lapses and its links, brms the priors of brms's family wiener, paper uniform
priors over the paper's ranges. Of coefficients of --formula, priors are weakly informative; flat makes them flat.

Ranges are the model's (likc models) unless --range says otherwise. An exact density is right everywhere, so a prior gives its
parameter all of the prior's support. A teacher, and a formula that stands in for a density, refuse ranges beyond their own, and
cut priors to them. A parameter that the model's support bounds by the data, as t < rt does, is cut to that bound as well.
--fix holds a parameter at a value: it is not sampled, and has no column in the draws.

` + formulaHelp + presetHelp() + `
A fit of a density has PSIS-LOO and WAIC, which say how well the model predicts a trial from all others; likc compare compares
fits by them. An expression that does not integrate to 1 has none.

With --lapse, a share of the trials is uniform over a window of response times and over the choices, so that a response before all
others moves nothing. Estimate the probability, as with --lapse 'beta(1,20)', rather than fix it.

With --deadline, trials without response count as responses that would have come later; the model must be a density. In a go/no-go
task --go names the choice that is to respond: a trial without response then is of the other choice, or late.

With -o DIR: DIR/summary.json, DIR/chain_K.csv in Stan's form, DIR/loo.csv with PSIS-LOO of each trial, and figures; with many
subjects a folder for each, and DIR/subjects.csv with a row for each. --predictive N writes DIR/predictive.parquet: of N draws, as
many simulated trials as the data have; and of a regression with groups DIR/newcomers.parquet, the same of new participants. With --csv
both are CSV files.
--zarr writes DIR/draws.zarr, which ArviZ and xarray open: draws, statistics of the sampler, the log density of each trial, and data.
--log-lik writes DIR/log_lik.parquet: the log density of each trial at each draw, in the columns row, chain, draw and log_lik.
--prior-only draws from the priors instead: what does the model expect before it has seen the data? --by COLUMN draws observed and
predicted trials of each condition, and quantiles of their response times. A fit of stop_signal has DIR/signals.csv and signals.svg
in place of these figures: observed and predicted omissions, quantiles of response times, responses at each delay and their times.
That of a model with states has DIR/course.svg: how often each choice is made in the course of the trials. Its trials are predicted in
order, with simulated choices, where the data have the columns from which the model computes what these lead to.
Traces and pairs of many subjects are drawn with --all-figures only: they take longer than the fits. DIR appears whole, or not at
all, and takes an older fit's place.

Ctrl-C keeps what was drawn, if need be without its figures, and says so in summary.json: "partial" is true. The same command with
--resume goes on from there, or from some seconds before a kill, to the draws of a fit that was never ended.

With --subject COLUMN, -o DIR and --on slurm, the machines of a Slurm cluster fit the subjects; DIR is the same but for times. It needs
no --resume.

summary.json records how the fit came about: priors, ranges, the data and their SHA-256, settings, version and processor.
--again DIR repeats the fit in DIR from that record, and says whether the draws are the same, byte for byte.`
}
