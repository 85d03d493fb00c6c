// Functions of the operators that a file in Rust defines where it needs them. Each is a paragraph that begins with its name.

// erf is the error function of the C library, which Rust links anyway.
fn erf(x: f64) -> f64 {
    unsafe extern "C" {
        fn erf(x: f64) -> f64;
    }
    unsafe { erf(x) }
}

// erfc is 1 - erf(x) of the C library, which Rust links anyway.
fn erfc(x: f64) -> f64 {
    unsafe extern "C" {
        fn erfc(x: f64) -> f64;
    }
    unsafe { erfc(x) }
}

// lgamma is the logarithm of the gamma function of x > 0, of the C library, which Rust links anyway.
fn lgamma(x: f64) -> f64 {
    unsafe extern "C" {
        fn lgamma(x: f64) -> f64;
    }
    if x < 0.0 { f64::NAN } else { unsafe { lgamma(x) } }
}

// tail returns the standard normal distribution function at -|x|. The error that rounding |x|/√2 makes is put back.
fn tail(x: f64) -> f64 {
    let a = x.abs();
    let u = a * 0.7071067811865476;
    let e = a.mul_add(0.7071067811865476, -u) - 4.833646656726457e-17 * a;
    0.5 * erfc(u) - e * (-u * u).exp() / 1.772453850905516
}

// log_normcdf is the logarithm of the standard normal distribution function, without underflow.
fn log_normcdf(x: f64) -> f64 {
    if x < -37.0 {
        let z = 1.0 / (x * x);
        let s = -z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0)))));
        return -0.5 * x * x - (-x).ln() - 0.9189385332046728 + s.ln_1p();
    }
    if x < 39.0 {
        return if x < 0.0 { tail(x).ln() } else { (-tail(x)).ln_1p() };
    }
    if x > 0.0 { 0.0 } else { x }
}

// inverse_mills is the standard normal density over its distribution function, without underflow.
fn inverse_mills(x: f64) -> f64 {
    if x < -37.0 {
        let z = 1.0 / (x * x);
        return -x / (1.0 - z * (1.0 - z * (3.0 - z * (15.0 - z * (105.0 - z * (945.0 - z * 10395.0))))));
    }
    if x < 39.0 {
        let h = x * x;
        let cdf = if x > 0.0 { 1.0 - tail(x) } else { tail(x) };
        return (-0.5 * h).exp() * (1.0 - 0.5 * x.mul_add(x, -h)) / (2.5066282746310002 * cdf);
    }
    if x > 0.0 { 0.0 } else { x }
}

// log1mexp is log(1 - exp(x)) for x < 0.
fn log1mexp(x: f64) -> f64 {
    if x > -std::f64::consts::LN_2 { (-x.exp_m1()).ln() } else { (-x.exp()).ln_1p() }
}

// square is the square.
fn square(x: f64) -> f64 {
    x * x
}

// logaddexp is log(exp(x) + exp(y)), without overflow.
fn logaddexp(x: f64, y: f64) -> f64 {
    if x == y {
        return x + std::f64::consts::LN_2;
    }
    largest(x, y) + (-(x - y).abs()).exp().ln_1p()
}

// smallest is the smaller one, or NaN where one is.
fn smallest(x: f64, y: f64) -> f64 {
    if x.is_nan() || x < y { x } else { y }
}

// largest is the larger one, or NaN where one is.
fn largest(x: f64, y: f64) -> f64 {
    if x.is_nan() || x > y { x } else { y }
}

// sign is -1, 0 or 1.
fn sign(x: f64) -> f64 {
    if x > 0.0 {
        1.0
    } else if x < 0.0 {
        -1.0
    } else {
        x
    }
}

// digamma is the derivative of lgamma, for x > 0: a recurrence up to 10 and Stirling's series from there.
fn digamma(mut x: f64) -> f64 {
    if x < 0.0 {
        return f64::NAN;
    }
    let mut s = 0.0;
    while x < 10.0 {
        s -= 1.0 / x;
        x += 1.0;
    }
    let z = 1.0 / (x * x);
    s + x.ln()
        - 0.5 / x
        - z * (1.0 / 12.0 - z * (1.0 / 120.0 - z * (1.0 / 252.0 - z * (1.0 / 240.0 - z * (1.0 / 132.0 - z * (691.0 / 32760.0 - z / 12.0))))))
}
