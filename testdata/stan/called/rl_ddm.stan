// Two values are learnt, and their difference drives a diffusion process. rstan: 4 chains of 1000 + 1000, adapt_delta 0.9.
data { int<lower=1> N; vector[N] rt; vector[N] reward; int c[N]; int blk[N]; }
transformed data { real tmax = fmin(1, min(rt)); }
parameters {
  real<lower=0, upper=1> alpha;
  real<lower=0, upper=10> k;
  real<lower=0.3, upper=2.5> a;
  real<lower=0, upper=tmax> t;
}
model {
  real qa = 0.5;
  real qb = 0.5;
  for (i in 1:N) {
    real v;
    if (i > 1 && blk[i] != blk[i-1]) { qa = 0.5; qb = 0.5; }
    v = k * (qa - qb);
    if (c[i] > 0) { rt[i] ~ wiener(2 * a, t, 0.5, v); qa += alpha * (reward[i] - qa); }
    else { rt[i] ~ wiener(2 * a, t, 0.5, -v); qb += alpha * (reward[i] - qb); }
  }
}
