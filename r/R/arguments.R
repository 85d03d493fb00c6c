# Turns arguments of R functions into flags of the program.

# flags_of returns the flags of a named list: max_rt = 3 is --max-rt=3; TRUE is a flag alone; FALSE and NULL are no flag; a named vector or list
# gives its flag once for each element, as NAME=VALUE; a character vector once for each text; numbers are joined by commas.
flags_of <- function(settings) {
  out <- character()
  if (length(settings) > 0 && (is.null(names(settings)) || any(names(settings) == ""))) {
    stop("every argument beyond the first ones needs a name: the flag that it stands for", call. = FALSE)
  }
  for (name in names(settings)) {
    value <- settings[[name]]
    flag <- paste0("--", gsub("_", "-", name, fixed = TRUE))
    if (is.null(value) || identical(value, FALSE)) next
    out <- c(out, if (identical(value, TRUE)) flag else paste0(flag, "=", values_of(value)))
  }
  out
}

# values_of returns the texts of a value, one for each time that its flag is given.
values_of <- function(value) {
  if (!is.null(names(value))) {
    paste0(names(value), "=", vapply(value, joined, ""))
  } else if (is.list(value)) {
    vapply(value, joined, "")
  } else if (is.numeric(value)) {
    joined(value)
  } else {
    as.character(value)
  }
}

# pairs_of returns NAME=VALUE,NAME=VALUE for flags that take the values of all parameters at once.
pairs_of <- function(values) {
  if (is.null(names(values))) values else paste(values_of(values), collapse = ",")
}

joined <- function(value) paste(if (is.numeric(value)) digits_of(value) else as.character(value), collapse = ",")

# digits_of writes numbers so that the program reads the same ones.
digits_of <- function(x) {
  out <- sprintf("%.15g", x)
  differs <- is.finite(x) & as.numeric(out) != x
  out[differs] <- sprintf("%.17g", x[differs])
  out
}

# formulas_of returns formulas as texts: of texts, of formulas such as v ~ 1 + x, of a list of both, and of bf() of brms.
formulas_of <- function(formula) {
  if (is.null(formula)) return(NULL)
  if (inherits(formula, "brmsformula")) formula <- c(list(formula$formula), formula$pforms)
  if (inherits(formula, "formula")) formula <- list(formula)
  unlist(lapply(unname(as.list(formula)), one_formula))
}

one_formula <- function(formula) {
  if (is.character(formula)) return(formula)
  if (!inherits(formula, "formula")) stop("formula: want formulas such as v ~ 1 + x + (1 | id), or texts", call. = FALSE)
  attributes(formula) <- NULL
  text <- paste(deparse(formula, width.cutoff = 500L), collapse = " ")
  if (length(formula) != 3 || !is.name(formula[[2]])) {
    stop("formula: the left side must be a parameter of the model, as in v ~ 1 + x: ", text, call. = FALSE)
  }
  text
}
