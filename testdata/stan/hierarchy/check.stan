// The density of wiener.hpp, or Stan's own, of some trials.
functions {
  real series(vector a, vector z, vector t, int[] at, real[] rt, int[] response, vector count);
}
data {
  int<lower=0, upper=1> own;
  int<lower=1> S;
  real<lower=0> rt[S];
  int<lower=0, upper=1> response[S];
}
parameters {
  real<lower=0.3, upper=2.5> a;
  real<lower=0.1, upper=0.9> z;
  real<lower=0, upper=0.3> t;
}
model {
  if (own)
    target += series(rep_vector(a, 1), rep_vector(z, 1), rep_vector(t, 1), rep_array(1, S), rt, response, rep_vector(1, S));
  else
    for (i in 1:S)
      target += wiener_lpdf(rt[i] | 2 * a, t, response[i] == 1 ? z : 1 - z, 0);
}
