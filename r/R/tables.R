# Trials as files that the program reads, and files of the program as data frames.

# with_file calls use with the path of a file that has the trials: data frames are written to a temporary one.
with_file <- function(data, use) {
  if (is.character(data) && length(data) == 1) return(use(data))
  path <- tempfile("trials-", fileext = ".csv")
  on.exit(unlink(path))
  write_trials(data, path)
  use(path)
}

# write_trials writes a data frame as CSV, with all digits; logical values are 1 and 0, missing values are empty.
write_trials <- function(data, path) {
  if (!is.list(data) || is.null(names(data))) stop("data: want a data frame, or the path of a CSV or Parquet file", call. = FALSE)
  data <- as.data.frame(data, stringsAsFactors = FALSE)
  if (any(duplicated(names(data)))) stop("data: two columns have the name ", names(data)[duplicated(names(data))][[1]], call. = FALSE)
  text <- vapply(data, function(x) is.factor(x) || is.character(x), NA)
  for (name in names(data)) {
    x <- data[[name]]
    if (is.logical(x)) x <- as.integer(x)
    if (is.factor(x)) x <- as.character(x)
    if (is.double(x)) x <- ifelse(is.na(x), NA, digits_of(x))
    if (is.null(dim(x)) && is.atomic(x)) data[[name]] <- x else stop("data: column ", name, " is no vector of numbers or texts", call. = FALSE)
  }
  utils::write.table(data, path, sep = ",", na = "", row.names = FALSE, quote = which(text), qmethod = "double", fileEncoding = "UTF-8")
}

# read_table reads a CSV file of the program.
read_table <- function(path) {
  utils::read.csv(path, comment.char = "#", check.names = FALSE, stringsAsFactors = FALSE, encoding = "UTF-8")
}

from_json <- function(text, ...) jsonlite::fromJSON(text, ...)
