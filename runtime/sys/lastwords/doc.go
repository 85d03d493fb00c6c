// Package lastwords lets a program under ulimit -v end in one line where it meets the limit. A program imports it for its effect.
//
// At the limit, Go's runtime dumps all stacks on standard error and ends, which nothing within the process can prevent. So a second process
// takes what comes there and says it shortly. What the program itself writes to os.Stderr goes where it always went. Without a limit, and
// on systems that have none, the package does nothing. Below about 0.7 GB Go's runtime ends before it runs any code of a program.
package lastwords
