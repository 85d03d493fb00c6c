# Tests of the package against known truths. They run the program that is found, and are skipped without one.

library(likc)

program <- tryCatch(likc_path(), error = function(e) "")
if (!nzchar(program)) {
  cat("skipped: the program likc was not found\n")
  quit("no")
}

test <- function(name, code) {
  cat(name, "\n")
  force(code)
}
refuses <- function(code, pattern) {
  message <- tryCatch({
    force(code)
    "no error"
  }, error = conditionMessage)
  if (!grepl(pattern, message)) stop("the error is ", message, ", which does not match ", pattern)
}
near <- function(x, y, relative) stopifnot(is.finite(x), abs(x - y) <= relative * abs(y))

theta <- c(v = 1, a = 1.2, z = 0.45, t = 0.3)
trials <- likc_simulate("ddm", theta, n = 1000)
fit <- likc_fit(data = trials, model = "ddm", chains = 2, warmup = 400, draws = 500, predictive = 50)

test("a fit finds the truth", {
  table <- summary(fit)
  stopifnot(identical(rownames(table), names(theta)))
  stopifnot(abs(table$mean - theta) < 4 * table$sd, table$sd < 0.1)
})

test("draws are those of the summary", {
  draws <- as.data.frame(fit)
  table <- summary(fit)
  stopifnot(nrow(draws) == 1000, draws$.chain == rep(1:2, each = 500), draws$.iteration == rep(1:500, 2))
  for (name in names(theta)) {
    near(mean(draws[[name]]), table[name, "mean"], 1e-9)
    near(sd(draws[[name]]), table[name, "sd"], 1e-9)
  }
  sampler <- likc_sampler(fit)
  stopifnot(nrow(sampler) == 1000, sampler$divergent__ %in% 0:1, sampler$stepsize__ > 0)
})

if (requireNamespace("posterior", quietly = TRUE)) test("posterior computes what the program does", {
  draws <- likc_draws(fit)
  stopifnot(posterior::is_draws_array(draws), dim(draws) == c(500, 2, 4))
  stopifnot(identical(draws, posterior::as_draws(fit)), posterior::is_draws_df(posterior::as_draws_df(fit)))
  computed <- as.data.frame(posterior::summarise_draws(draws))
  table <- summary(fit)
  stopifnot(abs(computed$rhat - table$rhat) < 1e-6)
  near(computed$ess_bulk, table$ess_bulk, 1e-6)
  near(computed$ess_tail, table$ess_tail, 1e-6)
})

fixed <- likc_fit(data = trials, model = "ddm", fix = c(z = 0.5), chains = 2, warmup = 300, draws = 300, no_figures = TRUE)

if (requireNamespace("loo", quietly = TRUE)) test("loo compares fits as the program does", {
  own <- likc_info(fit)$loo
  estimates <- loo::loo(fit)$estimates
  near(estimates["elpd_loo", ], c(own$elpd, own$se), 1e-9)
  near(estimates["p_loo", ], c(own$p, own$p_se), 1e-9)
  compared <- loo::loo_compare(list(all = loo::loo(fit), fixed = loo::loo(fixed)))
  program <- likc_compare(all = fit, fixed = fixed)
  stopifnot(identical(program$name, rownames(compared)))
  near(compared[2, "elpd_diff"], -program$diff[[2]], 1e-9)
  near(compared[2, "se_diff"], program$diff_se[[2]], 1e-9)
  invisible(capture.output(print(loo::loo(fit))))
})

test("predicted trials look like the data", {
  predicted <- posterior_predict(fit)
  stopifnot(nrow(predicted) == 50 * 1000, predicted$draw == rep(1:50, each = 1000), predicted$choice %in% c(-1, 1))
  shares <- tapply(predicted$choice == 1, predicted$draw, mean)
  stopifnot(abs(mean(shares) - mean(trials$choice == 1)) < 4 * sd(shares))
  means <- tapply(predicted$rt, predicted$draw, mean)
  stopifnot(abs(mean(means) - mean(trials$rt)) < 4 * sd(means))
  refuses(posterior_predict(fixed), "fit again with predictive = 100")
  if (requireNamespace("rstantools", quietly = TRUE)) stopifnot(identical(rstantools::posterior_predict(fit), predicted))
})

test("a file and a data frame give the same draws", {
  path <- tempfile(fileext = ".csv")
  write.csv(format(trials, digits = 17), path, row.names = FALSE, quote = FALSE)
  frame <- transform(trials, choice = factor(ifelse(choice == 1, "upper", "lower")), other = 1 / 3)
  first <- as.data.frame(fit)
  for (data in list(path, frame)) {
    again <- likc_fit(data = data, chains = 2, warmup = 400, draws = 500, no_figures = TRUE)
    stopifnot(identical(as.data.frame(again), first))
  }
})

test("the log-likelihood is that of the Wiener density", {
  at <- likc_eval(trials, "ddm", theta)
  if (requireNamespace("rtdists", quietly = TRUE)) {
    # rtdists has the whole separation and an absolute start
    density <- rtdists::ddiffusion(trials$rt, ifelse(trials$choice == 1, "upper", "lower"), a = 2 * 1.2, v = 1, t0 = 0.3, z = 0.45 * 2 * 1.2, precision = 8)
    near(at$loglik, sum(log(density)), 1e-7)
  }
  up <- theta + c(1e-5, 0, 0, 0)
  down <- theta - c(1e-5, 0, 0, 0)
  near(at$gradient$v, (likc_eval(trials, "ddm", up)$loglik - likc_eval(trials, "ddm", down)$loglik) / 2e-5, 1e-4)
})

test("the exact density in C, called from R, is that of RWiener", {
  if (requireNamespace("RWiener", quietly = TRUE) && nzchar(Sys.which("make")) && nzchar(Sys.which("gcc"))) {
    folder <- tempfile("ddm-")
    likc_run("compile", c("ddm", "--target", "c", "-o", folder))
    stopifnot(system2("make", c("-s", "-C", folder, "libddmlik.so")) == 0)
    loaded <- dyn.load(file.path(folder, "libddmlik.so"))
    n <- nrow(trials)
    data <- .C("ddmlik_flat_new", data = raw(.Machine$sizeof.pointer), n = n, rt = trials$rt, choice = as.double(trials$choice), error = "")$data
    each <- function() .C("ddmlik_flat_log_densities", data, theta = theta, value = 0, each = double(n))$each
    response <- ifelse(trials$choice == 1, "upper", "lower")
    # RWiener has the whole separation
    wiener <- mapply(function(rt, at) RWiener::dwiener(rt, 2 * 1.2, 0.3, 0.45, 1, resp = at, give_log = TRUE), trials$rt, response)
    stopifnot(max(abs(each() - wiener) / (1 + abs(wiener))) < 1e-13)
    .C("ddmlik_flat_free", data)
    dyn.unload(loaded[["path"]])
  }
})

test("a study finds the participants' drifts", {
  truth <- c(p0 = 0, p1 = 0.5, p2 = 1, p3 = 1.5, p4 = 2)
  data <- do.call(rbind, lapply(seq_along(truth), function(k) {
    cbind(likc_simulate("ddm", replace(theta, "v", truth[[k]]), n = 200, seed = k), id = names(truth)[[k]])
  }))
  folder <- file.path(tempfile("study-"), "fit")
  dir.create(dirname(folder))
  study <- suppressWarnings(likc_fit(v ~ 1 + (1 | id), data, output = folder, chains = 2, warmup = 400, draws = 400, no_figures = TRUE, predictive = 2))
  groups <- likc_table(study, "groups")
  groups <- groups[groups$param == "v", ]
  stopifnot(identical(groups$id, names(truth)), abs(groups$mean - truth) < 4 * groups$sd)
  stopifnot(identical(as.data.frame(likc_read_fit(folder)), as.data.frame(study)))
  stopifnot(nrow(posterior_predict(study, newcomers = TRUE)) == 2000)
  difference <- likc_contrast(study, "`v_1|id[p4]` - `v_1|id[p0]`")
  stopifnot(abs(difference$mean - 2) < 4 * difference$sd, difference$sd < 0.5)

  alone <- suppressWarnings(likc_fit(data = data, subject = "id", chains = 1, warmup = 200, draws = 100, no_figures = TRUE))
  stopifnot(identical(names(likc_subjects(alone)), names(truth)), nrow(summary(alone)) == 5)
  stopifnot(nrow(as.data.frame(likc_subjects(alone)$p3)) == 100)
  refuses(as.data.frame(alone), "look at its subjects")
})

test("a recovery study", {
  params <- likc_recover("ddm", subjects = 10, trials = 300, chains = 1, warmup = 200, draws = 200)$params
  stopifnot(identical(rownames(params), names(theta)), params$r > 0.8, params$covered_90 > 0.5)
})

test("figures", {
  stopifnot(file.exists(plot(fit)), any(grepl("<svg", readLines(plot(fit, "trace"), 5))))
  refuses(plot(fit, "nonsense"), "no figure nonsense")
})

test("formulas", {
  of <- likc:::formulas_of
  stopifnot(identical(of(v ~ 1 + x + (1 | id)), "v ~ 1 + x + (1 | id)"), identical(of("v ~ x"), "v ~ x"), is.null(of(NULL)))
  stopifnot(identical(of(list(v ~ x, "a ~ 1")), c("v ~ x", "a ~ 1")), identical(of(c(v ~ x, a ~ 0 + x:y)), c("v ~ x", "a ~ 0 + x:y")))
  # what bf(v ~ x, a ~ y) of brms is
  main <- structure(v ~ x, nl = FALSE, loop = TRUE)
  bf <- structure(list(formula = main, pforms = list(a = a ~ y)), class = c("brmsformula", "bform"))
  stopifnot(identical(of(bf), c("v ~ x", "a ~ y")))
  refuses(of(rt | dec(choice) ~ x), "left side must be a parameter")
  refuses(of(3), "want formulas")
})

test("numbers are written so that the same ones are read", {
  x <- c(0.1, 1 / 3, 2^-1074, 1e300, -5, NA)
  stopifnot(identical(as.numeric(likc:::digits_of(x[-6])), x[-6]))
})

test("errors are lines of the program", {
  refuses(likc_fit(data = trials, model = "nonsense"), "nonsense")
  refuses(likc_fit(data = trials, no_such_flag = 1), "--no-such-flag")
  refuses(likc_fit(NULL, trials, "ddm", 3), "needs a name")
  refuses(likc_fit(data = 3), "data frame")
  refuses(likc_fit(data = data.frame(rt = c(0.5, NA, 0.7), choice = 1)), "row 2")
  refuses(likc_read_fit("nowhere"), "no such folder")
})

unix <- .Platform$OS.type == "unix"

# A program that fails after it has written its arguments to a file.
if (unix) test("every flag of a command has an argument", {
  place <- tempfile("program-")
  dir.create(place)
  recorder <- file.path(place, "recorder")
  writeLines(c("#!/bin/sh", paste0("printf '%s\\n' \"$@\" > '", place, "/arguments'"), "exit 3"), recorder)
  Sys.chmod(recorder, "755")
  calls <- list(
    fit = function(...) likc_fit(data = trials, ...), simulate = function(...) likc_simulate("ddm", ...), eval = function(...) likc_eval(trials, "ddm", ...),
    recover = function(...) likc_recover("ddm", ...)
  )
  for (command in names(calls)) {
    help <- strsplit(likc_run(command, "--help"), "\n")[[1]]
    flags <- sub("^ +(-., )?--([a-z0-9-]+).*", "\\2", grep("^ +(-., )?--[a-z0-9-]+", help, value = TRUE))
    stopifnot(length(flags) > 5)
    for (flag in setdiff(flags, c("help", "data", "json"))) {
      argument <- gsub("-", "_", flag, fixed = TRUE)
      # the only flags with an argument of another name
      if (command == "simulate" && flag == "trials") argument <- "n"
      given <- stats::setNames(list(if (argument == "formula") "x ~ 1" else "x"), argument)
      if (command %in% c("simulate", "eval") && argument != "theta") given$theta <- "y"
      options(likc.program = recorder)
      refuses(do.call(calls[[command]], given), "exit status 3")
      options(likc.program = NULL)
      got <- readLines(file.path(place, "arguments"))
      if (!any(startsWith(got, paste0("--", flag, "=x")))) {
        # a folder or file of output may be given another path
        if (!(flag == "output" && any(startsWith(got, "--output=")))) stop("likc ", command, " --", flag, " has no argument: ", paste(got, collapse = " "))
      }
    }
  }
})

if (unix) test("the program is installed if its sum is right", {
  content <- file.path(tempdir(), "released")
  writeLines("#!/bin/sh\necho installed", content)
  sum <- strrep("0", 64)
  to <- file.path(tempdir(), "kept", "likc")
  refuses(likc_install(content, sum, to), "nothing was installed")
  stopifnot(!file.exists(to), length(list.files(dirname(to))) == 0)
  refuses(likc_install(content, "12", to), "64 hexadecimal digits")
  right <- likc:::sha256_of(content)
  stopifnot(identical(right, sub(" .*", "", system2("sha256sum", content, stdout = TRUE))))
  stopifnot(identical(likc_install(paste0("file://", content), right, to), to))
  options(likc.program = to)
  stopifnot(identical(likc_run("version"), "installed\n"))
  options(likc.program = NULL)
})

if (unix) test("an interrupt keeps what was drawn", {
  script <- tempfile(fileext = ".R")
  folder <- file.path(tempdir(), "interrupted")
  writeLines(c(
    "library(likc)",
    paste0("trials <- likc_simulate('ddm', c(v = 1, a = 1.2, z = 0.45, t = 0.3), n = 3000)"),
    "writeLines(as.character(Sys.getpid()), commandArgs(TRUE)[[2]])",
    "fit <- suppressWarnings(likc_fit(data = trials, warmup = 20, draws = 100000, output = commandArgs(TRUE)[[1]], no_figures = TRUE, no_loo = TRUE))",
    "cat(nrow(as.data.frame(fit)) > 0, likc_info(fit)$partial, '\\n')"
  ), script)
  pid <- tempfile()
  said <- tempfile()
  system2(file.path(R.home("bin"), "Rscript"), c(script, folder, pid), stdout = said, stderr = said, wait = FALSE)
  # the program keeps the states of chains in a hidden folder as soon as they draw
  begun <- function() any(startsWith(list.files(tempdir(), all.files = TRUE), ".interrupted"))
  for (k in 1:600) if (!file.exists(pid) || !begun()) Sys.sleep(0.1)
  Sys.sleep(4)
  tools::pskill(as.integer(readLines(pid)), tools::SIGINT)
  for (k in 1:600) if (!any(grepl("TRUE|Error", readLines(said, warn = FALSE)))) Sys.sleep(0.1)
  Sys.sleep(0.2)
  last <- utils::tail(readLines(said), 1)
  if (!identical(last, "TRUE TRUE ")) stop("the interrupted fit says: ", paste(readLines(said), collapse = "\n"))
})

cat("all passed\n")
