// Package lastwords makes a program print a single line when it reaches its memory limit (ulimit -v), and where it may open so few files
// (ulimit -n) that Go's runtime would end with its stacks. A program only needs to import it.
//
// At the limit, Go's runtime prints all stacks on standard error and ends, which nothing within the process can prevent. So a
// second process reads the runtime's standard error and prints one line instead. The program's own writes to os.Stderr are not
// affected. Without a limit, or on systems without such limits, the package does nothing. With a limit below about 0.7 GB, Go's
// runtime ends before it runs any code.
package lastwords
