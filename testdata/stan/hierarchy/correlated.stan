// Drift with an intercept and two slopes that vary by participant and are correlated; a, z and t are shared.
// The density is that of full.stan: without drift once for each series, and with it once for each cell.
functions {
  real series(vector a, vector z, vector t, int[] at, real[] rt, int[] response, vector count); // wiener.hpp
}
data {
  int<lower=1> J;
  real fastest;
  int<lower=1> S; // series: time, choice
  real<lower=0> rt[S];
  int<lower=0, upper=1> response[S];
  vector[S] count;
  int<lower=1> C; // cells: participant, columns
  int<lower=1, upper=J> subject[C];
  matrix[C, 3] x;
  vector[C] n;
  vector[C] up;   // responses at the upper boundary
  vector[C] time; // sum of response times
}
transformed data {
  int one[S] = rep_array(1, S);
}
parameters {
  vector[3] mu;
  vector<lower=0>[3] sigma;
  cholesky_factor_corr[3] L;
  vector[3] b[J]; // each participant's coefficients
  real<lower=0.3, upper=2.5> a;
  real<lower=0.1, upper=0.9> z;
  real<lower=0, upper=fastest> t;
}
transformed parameters {
  vector[3] cor;
  {
    matrix[3, 3] r = multiply_lower_tri_self_transpose(L);
    cor[1] = r[2, 1];
    cor[2] = r[3, 1];
    cor[3] = r[3, 2];
  }
}
model {
  vector[C] v;
  mu[1] ~ normal(0, 1);
  mu[2:3] ~ normal(0, 0.5);
  sigma ~ normal(0, 0.5);
  L ~ lkj_corr_cholesky(1);
  b ~ multi_normal_cholesky(mu, diag_pre_multiply(sigma, L));
  target += series(rep_vector(a, 1), rep_vector(z, 1), rep_vector(t, 1), one, rt, response, count);
  for (c in 1:C)
    v[c] = x[c] * b[subject[c]];
  target += dot_product(v, 2 * a * (up - z * n)) - dot_product(square(v), time - t * n) / 2;
}
