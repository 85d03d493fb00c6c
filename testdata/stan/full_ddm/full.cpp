// The log likelihood of the full drift-diffusion model by quadrature over starts and non-decision times.
#include <Rcpp.h>
#include <cmath>

// The density of a first passage through the lower of two boundaries at time t, without drift: a is the whole separation, w the
// relative start. Both series of Navarro and Fuss (2009), with more terms than needed.
static double driftless(double t, double a, double w) {
  double u = t / (a * a), sum = 0;
  if (u < 0.25) {
    for (int k = -4; k <= 4; k++) {
      double x = w + 2 * k;
      sum += x * std::exp(-x * x / (2 * u));
    }
    return sum / std::sqrt(2 * M_PI * u * u * u) / (a * a);
  }
  for (int k = 1; k <= 8; k++) sum += k * std::exp(-k * k * M_PI * M_PI * u / 2) * std::sin(k * M_PI * w);
  return M_PI * sum / (a * a);
}

// Times the factor of a drift that is normal with mean v and standard deviation sv.
static double density(double t, double v, double a, double w, double sv) {
  double d = 1 + sv * sv * t, x = a * w;
  double exponent = (sv * sv * x * x - 2 * v * x - v * v * t) / (2 * d);
  return std::exp(exponent) / std::sqrt(d) * driftless(t, a, w);
}

// p is v, a (half the separation), z, t, sv, sz, st. The rules (at, weight) are for the interval from 0 to 1.
// [[Rcpp::export]]
double log_likelihood(Rcpp::NumericVector p, Rcpp::NumericVector rt, Rcpp::LogicalVector upper, Rcpp::NumericVector start_at,
                      Rcpp::NumericVector start_weight, Rcpp::NumericVector time_at, Rcpp::NumericVector time_weight) {
  double total = 0;
  for (int i = 0; i < rt.size(); i++) {
    double v = upper[i] ? -p[0] : p[0], w = upper[i] ? 1 - p[2] : p[2];
    double last = rt[i] - p[3] + p[6] / 2, first = std::max(0.0, last - p[6]), mean = 0;
    if (!(last > 0)) return R_NegInf;
    for (int j = 0; j < time_at.size(); j++) {
      double t = first + (last - first) * time_at[j], over = 0;
      for (int k = 0; k < start_at.size(); k++)
        over += start_weight[k] * density(t, v, 2 * p[1], w + p[5] * (start_at[k] - 0.5), p[4]);
      mean += time_weight[j] * over;
    }
    total += std::log(mean * (last - first) / p[6]);
  }
  return total;
}
