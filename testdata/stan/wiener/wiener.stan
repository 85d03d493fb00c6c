// One participant of a drift-diffusion task, with the priors that likc has by default for the model ddm:
// uniform over v in [-3, 3], a in [.3, 2.5] (half the separation of the boundaries), z in [.1, .9] and t in [0, min rt].
// wiener_lpdf scores the upper boundary, and takes the whole separation 2a. A response at the lower boundary is one at the
// upper with start 1 - z and drift -v.
data {
  int<lower=0> n_upper;
  int<lower=0> n_lower;
  vector<lower=0>[n_upper] rt_upper;
  vector<lower=0>[n_lower] rt_lower;
  real<lower=0> fastest;
}
parameters {
  real<lower=-3, upper=3> v;
  real<lower=0.3, upper=2.5> a;
  real<lower=0.1, upper=0.9> z;
  real<lower=0, upper=fastest> t;
}
model {
  rt_upper ~ wiener(2 * a, t, z, v);
  rt_lower ~ wiener(2 * a, t, 1 - z, -v);
}
