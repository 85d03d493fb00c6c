// Cavanagh's data, the simple model: drift varies by participant and with frontal theta; a, z and t are shared.
// Stan's wiener takes the full boundary separation, twice the half separation a.
data {
  int<lower=1> N;
  int<lower=1> J;
  vector<lower=0>[N] rt;
  int<lower=0, upper=1> response[N];
  vector[N] theta;
  int<lower=1, upper=J> subject[N];
}
transformed data {
  real fastest = min(rt);
  int lower_n = N - sum(response);
  int lower_rows[lower_n];
  int upper_rows[N - lower_n];
  {
    int l = 0;
    int u = 0;
    for (i in 1:N) {
      if (response[i] == 1) { u += 1; upper_rows[u] = i; }
      else { l += 1; lower_rows[l] = i; }
    }
  }
}
parameters {
  real v_Intercept;
  real v_theta;
  real<lower=0> v_sigma;
  vector[J] v_subject; // intercept plus offset of each participant
  real<lower=0.3, upper=2.5> a;
  real<lower=0.1, upper=0.9> z;
  real<lower=0, upper=fastest> t;
}
model {
  vector[N] v = v_subject[subject] + v_theta * theta;
  v_Intercept ~ normal(0, 1);
  v_theta ~ normal(0, 0.5);
  v_sigma ~ normal(0, 0.5);
  v_subject ~ normal(v_Intercept, v_sigma);
  rt[upper_rows] ~ wiener(2 * a, t, z, v[upper_rows]);
  rt[lower_rows] ~ wiener(2 * a, t, 1 - z, -v[lower_rows]);
}
