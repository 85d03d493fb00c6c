#' Fit a model to trials
#'
#' Draws from the posterior of a model's parameters by the No-U-Turn sampler, given the trials of one participant or of a study.
#'
#' `a` is HALF the boundary separation: Stan, brms and rtdists report twice as much. `z` is relative, between 0 and 1.
#'
#' @param formula regression formulas: one formula such as `v ~ 1 + x + (1 | id)`, a text of it, a list of them, or `bf(...)` of the package brms.
#'   The left side is a parameter of the model. Without formulas every parameter is one number.
#' @param data a data frame with the columns `rt` (seconds) and `choice` (+1 for the upper boundary, -1 for the lower one), or the path of a CSV or
#'   Parquet file.
#' @param model the name of a model, see [likc_models()], or the path of a `.lik` file.
#' @param ... flags of `likc fit`, with `_` in place of `-`; `likc_help("fit")` prints all: `chains = 4`, `draws = 1000`, `seed = 1`,
#'   `subject = "id"` (each participant alone), `prior = c(v = "normal(0, 2)")`, `range = list(v = c(-5, 5))`, `fix = c(z = 0.5)`,
#'   `lapse = "beta(1,20)"`, `max_rt = 3`, `predictive = 100`. `TRUE` is a flag without a value.
#' @param output a folder that keeps the fit; without it the fit's files are gone when R ends.
#' @return An object of class `likc_fit`; see [likc_read_fit()] for what can be done with it.
#' @seealso [likc_compare()], [likc_contrast()]
#' @examples
#' \dontrun{
#' trials <- likc_simulate("ddm", theta = c(v = 1, a = 1.2, z = 0.45, t = 0.3), n = 1000)
#' fit <- likc_fit(data = trials, model = "ddm")
#' fit
#' summary(fit)
#' study <- likc_fit(list(v ~ 1 + condition + (1 | id), a ~ 1 + (1 | id)), data = mine)
#' }
#' @export
likc_fit <- function(formula = NULL, data, model = "ddm", ..., output = NULL) {
  folder <- if (is.null(output)) file.path(tempfile("likc-fit-"), "fit") else path.expand(output)
  if (is.null(output)) dir.create(dirname(folder))
  flags <- list(...)
  # R has no reader of Parquet files of its own
  if (!is.null(flags$predictive)) flags$csv <- TRUE
  formula <- formulas_of(formula)
  text <- with_file(data, function(path) {
    likc_run("fit", c(model, flags_of(c(list(data = path, output = folder, formula = formula), flags))))
  })
  new_fit(folder, text)
}

#' Simulate trials of a model
#'
#' @param model the name of a model, or the path of a `.lik` file.
#' @param theta a value for each parameter: `c(v = 1, a = 1.2, z = 0.5, t = 0.3)`. `a` is HALF the boundary separation.
#' @param n the number of trials.
#' @param seed the seed of the random numbers: the same one gives the same trials.
#' @param ... flags of `likc simulate`, as in [likc_fit()].
#' @return A data frame with a row for each trial: `rt` in seconds, and `choice`.
#' @examples
#' \dontrun{
#' likc_simulate("ddm", theta = c(v = 1, a = 1.2, z = 0.45, t = 0.3), n = 1000)
#' }
#' @export
likc_simulate <- function(model, theta, n = 1000, seed = 1, ...) {
  path <- tempfile("trials-", fileext = ".csv")
  on.exit(unlink(path))
  likc_run("simulate", c(model, flags_of(list(theta = pairs_of(theta), trials = n, seed = seed, output = path, ...))))
  read_table(path)
}

#' Do fits find the parameters that trials came from?
#'
#' Parameters are drawn from the priors, trials are simulated and fitted, and estimates are compared with the truth.
#'
#' @inheritParams likc_simulate
#' @param ... flags of `likc recover`, as in [likc_fit()]: `subjects = 100`, `trials = 200`.
#' @return A list: `params` is a data frame with the correlation `r` of estimates and truths, the bias, the root mean squared error, and the shares of
#'   truths inside the 50 and 90 percent intervals.
#' @examples
#' \dontrun{
#' likc_recover("ddm", subjects = 50, trials = 100)$params
#' }
#' @export
likc_recover <- function(model, ...) {
  results <- from_json(likc_run("recover", c(model, "--json", flags_of(list(...)))), simplifyDataFrame = FALSE)
  results$params <- rows_of(results$params)
  results
}

#' Which model predicts new trials best?
#'
#' Ranks fits of the same trials by PSIS-LOO, the best first.
#'
#' @param ... fits, or folders of fits. A fit is called by the name of its argument, if it has one.
#' @return A data frame with a row for each fit.
#' @examples
#' \dontrun{
#' likc_compare(free = likc_fit(data = d), unbiased = likc_fit(data = d, fix = c(z = 0.5)))
#' }
#' @export
likc_compare <- function(...) {
  folders <- vapply(list(...), folder_of, "")
  table <- from_json(likc_run("compare", c(unname(folders), "--json")))
  if (!is.null(names(folders))) {
    called <- names(folders)[match(table$name, folders)]
    table$name <- ifelse(nzchar(called), called, table$name)
  }
  table
}

#' Differences between conditions
#'
#' @param fit a fit, or the folder of one.
#' @param ... expressions of cells and coefficients as texts, such as `"v[hard] - v[easy]"`.
#' @param null a value that the Bayes factor is for or against.
#' @return A data frame with a row for each expression: mean, sd and quantiles of its posterior.
#' @examples
#' \dontrun{
#' likc_contrast(study, "v[hard] - v[easy]", null = 0)
#' }
#' @export
likc_contrast <- function(fit, ..., null = NULL) {
  from_json(likc_run("contrast", c(folder_of(fit), c(...), "--json", flags_of(list(null = null)))))
}

#' Evaluate a log-likelihood
#'
#' @inheritParams likc_fit
#' @param theta a value for each parameter, as in [likc_simulate()].
#' @param ... flags of `likc eval`, as in [likc_fit()].
#' @return A list with `loglik`, the sum over the trials, and `gradient`, its derivatives by the parameters.
#' @examples
#' \dontrun{
#' likc_eval(trials, "ddm", c(v = 1, a = 1.2, z = 0.5, t = 0.3))
#' }
#' @export
likc_eval <- function(data, model, theta, ...) {
  flags <- list(...)
  with_file(data, function(path) {
    from_json(likc_run("eval", c(model, "--json", flags_of(c(list(data = path, theta = pairs_of(theta)), flags)))))
  })
}

#' The models that come with the program
#'
#' @return A data frame with a row for each model: `name`, `kind`, and `params`.
#' @examples
#' \dontrun{
#' likc_models()
#' }
#' @export
likc_models <- function() {
  all <- from_json(likc_run("models", "--json"), simplifyVector = FALSE)
  names <- vapply(all, function(m) m$name, "")
  params <- vapply(all, function(m) {
    paste(vapply(m$params, function(p) if (is.list(p)) p$name else p, ""), collapse = ", ")
  }, "")
  data.frame(name = names, kind = vapply(all, function(m) m$kind, ""), params = params)
}

folder_of <- function(fit) if (inherits(fit, "likc_fit")) fit$folder else path.expand(fit)

# rows_of makes a data frame of a named list of lists, a row for each, with NA where one has no such value.
rows_of <- function(lists) {
  columns <- unique(unlist(lapply(lists, names)))
  values <- lapply(columns, function(column) unname(unlist(lapply(lists, function(l) if (is.null(l[[column]])) NA else l[[column]]))))
  data.frame(stats::setNames(values, columns), row.names = names(lists), check.names = FALSE)
}
