// Functions of the operators that a file in JavaScript defines where it needs them. Each is a paragraph that begins with its name.

// erfParts returns [r, s] such that erfc(x) = exp(-x² - 0.5625 + r/s)/x for x of 1.25 to 28.
function erfParts(x) {
  const s = 1 / (x * x);
  if (x < 1 / 0.35) {
    return [
      -0.009864944034847148 + s * (-0.6938585727071818 + s * (-10.558626225323291 + s * (-62.375332450326006 + s * (-162.39666946257347 + s * (-184.60509290671104 + s * (-81.2874355063066 + s * -9.814329344169145)))))),
      1 + s * (19.651271667439257 + s * (137.65775414351904 + s * (434.56587747522923 + s * (645.3872717332679 + s * (429.00814002756783 + s * (108.63500554177944 + s * (6.570249770319282 + s * -0.0604244152148581))))))),
    ];
  }
  return [
    -0.0098649429247001 + s * (-0.799283237680523 + s * (-17.757954917754752 + s * (-160.63638485582192 + s * (-637.5664433683896 + s * (-1025.0951316110772 + s * -483.5191916086514))))),
    1 + s * (30.33806074348246 + s * (325.7925129965739 + s * (1536.729586084437 + s * (3199.8582195085955 + s * (2553.0504064331644 + s * (474.52854120695537 + s * -22.44095244658582)))))),
  ];
}

// erfNear returns erf(x) - x for x of 0 to 0.84375.
function erfNear(x) {
  const z = x * x;
  return x * (0.12837916709551256 + z * (-0.3250421072470015 + z * (-0.02848174957559851 + z * (-0.005770270296489442 + z * -2.3763016656650163e-05)))) /
    (1 + z * (0.39791722395915535 + z * (0.0650222499887673 + z * (0.005081306281875766 + z * (0.00013249473800432164 + z * -3.960228278775368e-06)))));
}

// erfMiddle returns erf(x) - 0.8450629115104675 for x of 0.84375 to 1.25.
function erfMiddle(x) {
  const s = x - 1;
  return (-0.0023621185607526594 + s * (0.41485611868374833 + s * (-0.3722078760357013 + s * (0.31834661990116175 + s * (-0.11089469428239668 + s * (0.035478304325618236 + s * -0.002166375594868791)))))) /
    (1 + s * (0.10642088040084423 + s * (0.540397917702171 + s * (0.07182865441419627 + s * (0.12617121980876164 + s * (0.01363708391202905 + s * 0.011984499846799107))))));
}

// erfcTail returns erfc(x) for x of 1.25 to 28. The square of z is exact.
function erfcTail(x) {
  const [r, s] = erfParts(x), z = Math.fround(x);
  return Math.exp(-z * z - 0.5625) * Math.exp((z - x) * (z + x) + r / s) / x;
}

// erf is the error function. It and erfc follow FreeBSD's s_erf.c. Copyright (C) 1993 by Sun Microsystems, Inc. All rights reserved.
// Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
function erf(x) {
  if (x < 0) return -erf(-x);
  if (x < 0.84375) return x + erfNear(x);
  if (x < 1.25) return 0.8450629115104675 + erfMiddle(x);
  return x < 6 ? 1 - erfcTail(x) : x >= 6 ? 1 : x;
}

// erfc is 1 - erf(x), exact for large x.
function erfc(x) {
  if (x < 0) return x > -6 ? 2 - erfc(-x) : 2;
  if (x < 0.25) return 1 - (x + erfNear(x));
  if (x < 0.84375) return 0.5 - (x - 0.5 + erfNear(x));
  if (x < 1.25) return 1 - 0.8450629115104675 - erfMiddle(x);
  return x < 28 ? erfcTail(x) : x >= 28 ? 0 : x;
}

// tail returns the standard normal distribution function at -|x|. The error that rounding |x|/√2 makes is put back.
function tail(x) {
  const a = Math.abs(x), u = a * 0.7071067811865476;
  const e = product(a, 0.7071067811865476, u) - 4.833646656726457e-17 * a;
  return 0.5 * erfc(u) - e * Math.exp(-u * u) / 1.772453850905516;
}

// product returns x*y - p, where p is the rounded product of x and y: Dekker's, T. J. Dekker, Numer. Math. 18 (1971), 224-242.
function product(x, y, p) {
  const a = 134217729 * x, b = 134217729 * y;
  const x1 = a - (a - x), x2 = x - x1, y1 = b - (b - y), y2 = y - y1;
  return x1 * y1 - p + x1 * y2 + x2 * y1 + x2 * y2;
}

// logNormCDF is the logarithm of the standard normal distribution function, without underflow.
function logNormCDF(x) {
  if (x < -37) {
    const z = 1 / (x * x);
    const s = -z * (1 - z * (3 - z * (15 - z * (105 - z * (945 - z * 10395)))));
    return -0.5 * x * x - Math.log(-x) - 0.9189385332046728 + Math.log1p(s);
  }
  if (x < 39) return x < 0 ? Math.log(tail(x)) : Math.log1p(-tail(x));
  return x > 0 ? 0 : x;
}

// inverseMills is the standard normal density over its distribution function, without underflow.
function inverseMills(x) {
  if (x < -37) {
    const z = 1 / (x * x);
    return -x / (1 - z * (1 - z * (3 - z * (15 - z * (105 - z * (945 - z * 10395))))));
  }
  if (x < 39) {
    const h = x * x, cdf = x > 0 ? 1 - tail(x) : tail(x);
    return Math.exp(-0.5 * h) * (1 - 0.5 * product(x, x, h)) / (2.5066282746310002 * cdf);
  }
  return x > 0 ? 0 : x;
}

// log1mexp is log(1 - exp(x)) for x < 0.
function log1mexp(x) {
  return x > -Math.LN2 ? Math.log(-Math.expm1(x)) : Math.log1p(-Math.exp(x));
}

// square is the square.
function square(x) { return x * x; }

// power is x to the power y. Any power of 1 is 1, and so is (-1) to an infinite power, as in C.
function power(x, y) {
  return x === 1 || x === -1 && Math.abs(y) === Infinity ? 1 : Math.pow(x, y);
}

// logaddexp is log(exp(x) + exp(y)), without overflow.
function logaddexp(x, y) {
  return x === y ? x + Math.LN2 : Math.max(x, y) + Math.log1p(Math.exp(-Math.abs(x - y)));
}

// lgamma is the logarithm of the gamma function of x > 0. It follows FreeBSD's e_lgamma_r.c. Copyright (C) 1993 by Sun Microsystems, Inc.
// All rights reserved. Permission to use, copy, modify, and distribute this software is freely granted, provided that this notice is preserved.
function lgamma(x) {
  if (!(x >= 0)) return NaN;
  if (x < 2) {
    if (x <= 0.9) return lgammaNear(x + 1, x) - Math.log(x);
    return lgammaNear(x, x - 1);
  }
  if (x < 8) {
    const i = Math.floor(x), y = x - i;
    const p = y * (-0.07721566490153287 + y * (0.21498241596060885 + y * (0.325778796408931 + y * (0.14635047265246445 + y * (0.02664227030336386 + y * (0.0018402845140733772 + y * 3.194753265841009e-05))))));
    const q = 1.0 + y * (1.3920053346762105 + y * (0.7219355475671381 + y * (0.17193386563280308 + y * (0.01864591917156529 + y * (0.0007779424963818936 + y * 7.326684307446256e-06)))));
    let z = 1;
    for (let k = 2; k < i; k++) z *= y + k;
    return 0.5 * y + p / q + Math.log(z);
  }
  if (x < 288230376151711744) {
    const z = 1 / x, y = z * z;
    const w = 0.4189385332046727 + z * (0.08333333333333297 + y * (-0.0027777777772877554 + y * (0.0007936505586430196 + y * (-0.00059518755745034 + y * (0.0008363399189962821 + y * -0.0016309293409657527)))));
    return (x - 0.5) * (Math.log(x) - 1) + w;
  }
  return x * (Math.log(x) - 1);
}

// lgammaNear returns lgamma(x) for x of 0.9 to 2, near which it is 0. The argument y is x - 1, before it was rounded.
function lgammaNear(x, y) {
  if (x >= 1.7316321449683623) {
    const u = 1 - y, z = u * u;
    const p1 = 0.07721566490153287 + z * (0.06735230105312927 + z * (0.007385550860814029 + z * (0.0011927076318336207 + z * (0.00022086279071390839 + z * 2.5214456545125733e-05))));
    const p2 = z * (0.3224670334241136 + z * (0.020580808432516733 + z * (0.0028905138367341563 + z * (0.0005100697921535113 + z * (0.00010801156724758394 + z * 4.4864094961891516e-05)))));
    return u * p1 + p2 - 0.5 * u;
  }
  if (x >= 1.2316321449683623) {
    const u = y - 0.4616321449683622, z = u * u, w = z * u;
    const p1 = 0.48383612272381005 + w * (-0.032788541075985965 + w * (0.006100538702462913 + w * (-0.0014034646998923284 + w * 0.00031563207090362595)));
    const p2 = -0.1475877229945939 + w * (0.01797067508118204 + w * (-0.0036845201678113826 + w * (0.000881081882437654 + w * -0.00031275416837512086)));
    const p3 = 0.06462494023913339 + w * (-0.010314224129834144 + w * (0.0022596478090061247 + w * (-0.0005385953053567405 + w * 0.0003355291926355191)));
    return z * p1 - (-3.638676997039505e-18 - w * (p2 + u * p3)) - 0.12148629053584961;
  }
  const p = y * (-0.07721566490153287 + y * (0.6328270640250934 + y * (1.4549225013723477 + y * (0.9777175279633727 + y * (0.22896372806469245 + y * 0.013381091853678766)))));
  const q = 1.0 + y * (2.4559779371304113 + y * (2.128489763798934 + y * (0.7692851504566728 + y * (0.10422264559336913 + y * 0.003217092422824239))));
  return p / q - 0.5 * y;
}

// digamma is the derivative of lgamma, for x > 0: a recurrence up to 10 and Stirling's series from there.
function digamma(x) {
  if (x < 0) return NaN;
  let s = 0;
  for (; x < 10; x++) s -= 1 / x;
  const z = 1 / (x * x);
  return s + Math.log(x) - 0.5 / x -
    z * (1 / 12 - z * (1 / 120 - z * (1 / 252 - z * (1 / 240 - z * (1 / 132 - z * (691 / 32760 - z / 12))))));
}
