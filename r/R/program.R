#' Find, run and install the program
#'
#' All functions of this package run the program `likc`. It is looked for in this order: the option `likc.program`, the environment variable
#' `LIKC`, the copy that `likc_install()` made, and the `PATH`.
#'
#' `likc_install()` copies a program from an address or a file, after a check of its SHA-256 sum, which comes with each release in the file
#' `SHA256SUMS`. Nothing is ever downloaded without a call of this function.
#'
#' An interrupt (Ctrl-C, or the stop button of RStudio on Linux and macOS) is passed on: the program keeps what it has drawn, and ends.
#'
#' @param command a command of the program, such as `"fit"`; with `likc_help()`, `NULL` lists all commands.
#' @param arguments a character vector of further arguments.
#' @param from the address (`https://`, `file://`) or the path of the program for this system.
#' @param sha256 the SHA-256 sum that the program must have: 64 hexadecimal digits.
#' @param to where the program is kept.
#' @return `likc_path()` and `likc_install()` return a path, `likc_run()` what the program printed, as one text, and `likc_help()` the same
#'   after printing it. Where the program fails, its message is an R error; its warnings are R warnings.
#' @examples
#' \dontrun{
#' options(likc.program = "~/bin/likc")
#' likc_help("fit")
#' cat(likc_run("models", "--json"))
#' }
#' @export
likc_path <- function() {
  found <- c(getOption("likc.program", ""), Sys.getenv("LIKC"), if (file.exists(installed())) installed(), Sys.which("likc"))
  found <- found[nzchar(found)]
  if (length(found) == 0) {
    stop("the program likc was not found: put it on the PATH, set options(likc.program = \"path\"), or see ?likc_install", call. = FALSE)
  }
  path.expand(found[[1]])
}

#' @rdname likc_path
#' @export
likc_run <- function(command, arguments = character()) {
  program <- likc_path()
  place <- tempfile("likc-run-")
  dir.create(place)
  on.exit(unlink(place, recursive = TRUE))
  out <- file.path(place, "out")
  err <- file.path(place, "err")
  status <- run_program(program, c(command, arguments), out, err)
  printed <- read_text(out)
  failed <- report(read_text(err))
  if (status != 0 && nzchar(printed) && startsWith(failed, "interrupted: ")) {
    warning(failed, call. = FALSE)
  } else if (status != 0) {
    stop(if (nzchar(failed)) failed else paste("the program", program, "ended with exit status", status), call. = FALSE)
  }
  printed
}

#' @rdname likc_path
#' @export
likc_help <- function(command = NULL) {
  text <- likc_run(c(command, "--help"))
  cat(text)
  invisible(text)
}

#' @rdname likc_path
#' @export
likc_install <- function(from, sha256, to = installed()) {
  sha256 <- tolower(sha256)
  if (!grepl("^[0-9a-f]{64}$", sha256)) stop("sha256: want 64 hexadecimal digits, from the SHA256SUMS of the release", call. = FALSE)
  dir.create(dirname(to), recursive = TRUE, showWarnings = FALSE)
  part <- tempfile("likc-", tmpdir = dirname(to))
  on.exit(unlink(part))
  if (grepl("^[a-z]+://", from)) {
    utils::download.file(from, part, mode = "wb", quiet = TRUE)
  } else if (!file.copy(from, part)) {
    stop(from, ": cannot be read", call. = FALSE)
  }
  sum <- sha256_of(part)
  if (sum != sha256) stop(from, ": its SHA-256 sum is ", sum, ", not ", sha256, ": nothing was installed", call. = FALSE)
  Sys.chmod(part, "755")
  if (!file.rename(part, to)) stop(to, ": cannot be written", call. = FALSE)
  to
}

# installed returns where likc_install() keeps the program.
installed <- function() file.path(tools::R_user_dir("likc", "data"), if (windows()) "likc.exe" else "likc")

windows <- function() .Platform$OS.type == "windows"

# run_program runs a program and returns its exit status. Elsewhere than on Windows a time limit makes R pass interrupts on to the shell, which waits
# for the program, because it handles them itself. The limit is three years.
run_program <- function(program, arguments, out, err) {
  if (windows()) return(system2(program, shQuote(arguments, type = "cmd"), stdout = out, stderr = err))
  command <- paste(c(shQuote(c(program, arguments)), ">", shQuote(out), "2>", shQuote(err), "</dev/null"), collapse = " ")
  system(paste0("trap : INT; ", command, "; exit $?"), timeout = 1e8)
}

# report shows what the program said beside its results, notes and warnings, and returns its errors.
report <- function(text) {
  failed <- character()
  for (message in messages_of(text)) {
    if (startsWith(message, "warning: ")) {
      warning(sub("^warning: ", "", message), call. = FALSE)
    } else if (startsWith(message, "note: ")) {
      base::message(message)
    } else {
      failed <- c(failed, message)
    }
  }
  paste(failed, collapse = "\n")
}

# messages_of splits the text on standard error into messages: each begins with "likc: ", and may have indented lines.
messages_of <- function(text) {
  lines <- strsplit(text, "\n", fixed = TRUE)[[1]]
  number <- cumsum(startsWith(lines, "likc: "))
  unname(vapply(split(sub("^likc: ", "", lines), number), paste, "", collapse = "\n"))
}

read_text <- function(path) {
  if (!file.exists(path)) return("")
  text <- readChar(path, file.size(path), useBytes = TRUE)
  Encoding(text) <- "UTF-8"
  text
}

# sha256_of returns the SHA-256 sum of a file, by R (4.5 and later), the package digest, or a program of the system.
sha256_of <- function(path) {
  if (exists("sha256sum", envir = asNamespace("tools"), inherits = FALSE)) {
    return(unname(get("sha256sum", envir = asNamespace("tools"))(path)))
  }
  if (requireNamespace("digest", quietly = TRUE)) return(digest::digest(path, algo = "sha256", file = TRUE))
  programs <- list(sha256sum = character(), shasum = c("-a", "256"))
  for (program in names(programs)) {
    if (nzchar(Sys.which(program))) {
      return(sub(" .*", "", system2(program, c(programs[[program]], shQuote(path)), stdout = TRUE)[[1]]))
    }
  }
  stop("SHA-256 sums cannot be computed here: install the R package digest", call. = FALSE)
}
