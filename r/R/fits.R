#' Open and examine fits
#'
#' A fit is a folder that the program wrote. `likc_read_fit()` opens one.
#'
#' @param folder the folder of a fit: of [likc_fit()] with `output`, or of `likc fit -o`.
#' @param fit,x,object a fit.
#' @param name the name of a table (`"loo"`, `"cells"`, `"groups"`, `"lapse"`) or of a figure (`"predictive"`, `"trace"`, `"pairs"`, `"rank"`,
#'   `"marginal"`, `"effects"`, `"shrinkage"`).
#' @param newcomers whether trials are those of new participants, in place of those of the data.
#' @param ... not used.
#' @return
#' * `summary()`: a data frame with a row for each parameter: mean, sd, quantiles, R-hat, effective sample sizes and Monte Carlo errors. If each
#'   participant was fitted alone, a row for each participant.
#' * `likc_draws()`: the draws, as `draws_array` of the package posterior if it is installed, otherwise as data frame. `as_draws()` and its kin of
#'   posterior, and `as.data.frame()`, work on fits too.
#' * `likc_sampler()`: what the sampler recorded of each draw, a data frame: log density, step size, divergent transitions.
#' * `likc_info()`: all of the fit's `summary.json` as list: priors, data, settings, warnings, and `loo` with `elpd`, `se` and `p`.
#' * `likc_table()`: a table of the fit. `"cells"` has every parameter in every cell of the design, on its own scale, `"groups"` those of each
#'   participant, `"loo"` how well the model predicts each trial.
#' * `likc_subjects()`: a named list of fits, if each participant was fitted alone.
#' * `posterior_predict()`: simulated trials of a fit with `predictive = N`: a data frame with `draw`, `trial`, `row` (of the data), `rt` and `choice`.
#'   A trial without response has no `rt`.
#' * `plot()`: shows a figure in the viewer, and returns its path. In knitr documents it is included.
#' * `loo::loo()`: the figures of PSIS-LOO as an object for `loo::loo_compare()`.
#' @examples
#' \dontrun{
#' fit <- likc_read_fit("study")
#' summary(fit)
#' likc_table(fit, "cells")
#' plot(fit, "trace")
#' loo::loo(fit)
#' }
#' @export
likc_read_fit <- function(folder) new_fit(path.expand(folder), "")

new_fit <- function(folder, text) {
  if (!file.exists(file.path(folder, "summary.json"))) stop(folder, ": there is no such folder of a fit", call. = FALSE)
  structure(list(folder = normalizePath(folder), text = text), class = "likc_fit")
}

#' @rdname likc_read_fit
#' @export
likc_info <- function(fit) from_json(read_text(file.path(fit$folder, "summary.json")), simplifyDataFrame = FALSE)

#' @rdname likc_read_fit
#' @export
likc_table <- function(fit, name) {
  path <- file.path(fit$folder, paste0(name, ".csv"))
  if (!file.exists(path)) stop(fit$folder, ": this fit has no ", name, ".csv", call. = FALSE)
  read_table(path)
}

#' @rdname likc_read_fit
#' @export
likc_draws <- function(fit) {
  if (requireNamespace("posterior", quietly = TRUE)) posterior::as_draws_array(draws_of(fit)$params) else as.data.frame(fit)
}

#' @rdname likc_read_fit
#' @export
likc_sampler <- function(fit) frame_of(draws_of(fit)$sampler)

#' @rdname likc_read_fit
#' @export
likc_subjects <- function(fit) {
  if (!file.exists(file.path(fit$folder, "subjects.csv"))) return(list())
  all <- likc_table(fit, "subjects")
  stats::setNames(lapply(file.path(fit$folder, all$folder), likc_read_fit), all[[1]])
}

#' @rdname likc_read_fit
#' @export
print.likc_fit <- function(x, ...) {
  if (nzchar(x$text)) cat(x$text) else print(summary(x))
  invisible(x)
}

#' @rdname likc_read_fit
#' @export
summary.likc_fit <- function(object, ...) {
  if (file.exists(file.path(object$folder, "subjects.csv"))) likc_table(object, "subjects") else rows_of(likc_info(object)$params)
}

#' @rdname likc_read_fit
#' @export
as.data.frame.likc_fit <- function(x, ...) frame_of(draws_of(x)$params)

#' @rdname likc_read_fit
#' @export
plot.likc_fit <- function(x, name = "predictive", ...) {
  path <- file.path(x$folder, paste0(name, ".svg"))
  if (!file.exists(path)) {
    has <- sub("[.]svg$", "", list.files(x$folder, "[.]svg$"))
    stop(x$folder, ": this fit has no figure ", name, ": it has ", if (length(has) > 0) paste(has, collapse = ", ") else "none", call. = FALSE)
  }
  if (isTRUE(getOption("knitr.in.progress"))) return(knitr::include_graphics(path))
  if (interactive()) getOption("viewer", utils::browseURL)(path)
  invisible(path)
}

#' @rdname likc_read_fit
#' @export
posterior_predict <- function(object, ...) UseMethod("posterior_predict")

# posterior_predict of other packages' fits still works after library(likc)
#' @export
posterior_predict.default <- function(object, ...) rstantools::posterior_predict(object, ...)

#' @rdname likc_read_fit
#' @export
#' @rawNamespace S3method(rstantools::posterior_predict, likc_fit)
posterior_predict.likc_fit <- function(object, newcomers = FALSE, ...) {
  name <- if (newcomers) "newcomers" else "predictive"
  if (!file.exists(file.path(object$folder, paste0(name, ".csv")))) {
    stop(object$folder, ": this fit has no ", name, ".csv: fit again with predictive = 100",
         if (newcomers) ", and with groups in the formula", call. = FALSE)
  }
  likc_table(object, name)
}

#' @exportS3Method posterior::as_draws
as_draws.likc_fit <- function(x, ...) posterior::as_draws_array(draws_of(x)$params)

#' @exportS3Method posterior::as_draws_array
as_draws_array.likc_fit <- function(x, ...) posterior::as_draws_array(draws_of(x)$params)

#' @exportS3Method posterior::as_draws_df
as_draws_df.likc_fit <- function(x, ...) posterior::as_draws_df(posterior::as_draws_array(draws_of(x)$params))

#' @exportS3Method loo::loo
loo.likc_fit <- function(x, ...) {
  trials <- likc_table(x, "loo")
  pointwise <- cbind(elpd_loo = trials$elpd, mcse_elpd_loo = trials$mcse, p_loo = trials$p, looic = -2 * trials$elpd, influence_pareto_k = trials$k)
  sums <- pointwise[, c("elpd_loo", "p_loo", "looic")]
  info <- likc_info(x)
  structure(
    list(
      estimates = cbind(Estimate = colSums(sums), SE = sqrt(nrow(sums) * apply(sums, 2, stats::var))),
      pointwise = pointwise,
      diagnostics = list(pareto_k = trials$k, n_eff = rep(NA_real_, nrow(trials))),
      psis_object = NULL
    ),
    dims = c(sum(unlist(info$draws_per_chain)), nrow(trials)),
    model_name = info$model,
    class = c("psis_loo", "importance_sampling_loo", "loo")
  )
}

# draws_of reads the draws: arrays of draws, chains and variables, cut to the shortest chain, of what the sampler recorded, and of the parameters.
draws_of <- function(fit) {
  files <- list.files(fit$folder, "^chain_[0-9]+[.]csv$", full.names = TRUE)
  if (length(files) == 0) stop(fit$folder, ": the fit has no draws of its own: look at its subjects (likc_subjects)", call. = FALSE)
  files <- files[order(as.integer(gsub("\\D", "", basename(files))))]
  chains <- lapply(files, function(file) as.matrix(read_table(file)))
  chains <- lapply(chains, utils::head, min(vapply(chains, nrow, 0L)))
  all <- aperm(array(unlist(chains), c(dim(chains[[1]]), length(chains))), c(1, 3, 2))
  columns <- colnames(chains[[1]])
  of_sampler <- endsWith(columns, "__")
  params <- names(likc_info(fit)$params)
  if (length(params) != sum(!of_sampler)) {
    stop(files[[1]], ": ", sum(!of_sampler), " columns of draws, but summary.json has ", length(params), " parameters", call. = FALSE)
  }
  names <- function(variables) list(iteration = NULL, chain = as.character(seq_along(files)), variable = variables)
  list(
    sampler = array(all[, , of_sampler], c(dim(all)[1:2], sum(of_sampler)), names(columns[of_sampler])),
    params = array(all[, , !of_sampler], c(dim(all)[1:2], length(params)), names(params))
  )
}

# frame_of makes a data frame of draws, with the columns .chain, .iteration and .draw.
frame_of <- function(draws) {
  n <- dim(draws)
  values <- matrix(draws, n[[1]] * n[[2]], n[[3]], dimnames = list(NULL, dimnames(draws)[[3]]))
  data.frame(values, .chain = rep(seq_len(n[[2]]), each = n[[1]]), .iteration = rep(seq_len(n[[1]]), n[[2]]),
             .draw = seq_len(n[[1]] * n[[2]]), check.names = FALSE)
}
