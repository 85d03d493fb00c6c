// Drift follows signed coherence by a power. rstan: 4 chains of 1000 + 1000, adapt_delta 0.9.
data { int<lower=1> N; vector[N] rt; vector[N] coh; int c[N]; }
transformed data { real tmax = fmin(1, min(rt)); }
parameters {
  real<lower=0, upper=40> k;
  real<lower=0.2, upper=3> e;
  real<lower=0.3, upper=2.5> a;
  real<lower=0.1, upper=0.9> z;
  real<lower=0, upper=tmax> t;
}
model {
  for (i in 1:N) {
    real v = coh[i] == 0 ? 0 : (coh[i] > 0 ? k * pow(coh[i], e) : -k * pow(-coh[i], e));
    if (c[i] > 0) rt[i] ~ wiener(2 * a, t, z, v);
    else rt[i] ~ wiener(2 * a, t, 1 - z, -v);
  }
}
