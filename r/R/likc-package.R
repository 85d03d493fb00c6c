#' Fits of decisions and response times
#'
#' A thin front for the program `likc`: every function runs it. Arguments that a function does not name are flags of the program, with `_` in place
#' of `-`: `max_rt = 3` is `--max-rt 3`. `likc_help("fit")` prints the flags of a command. Begin with [likc_fit()]. [likc_path()] tells where the
#' program is looked for.
#'
#' `a` is HALF the boundary separation: Stan, brms and rtdists report twice as much.
#'
#' @keywords internal
"_PACKAGE"
