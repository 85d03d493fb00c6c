//go:build linux || darwin

package main

import (
	"os"
	"os/signal"
	"strconv"
	"syscall"
)

// fileLimit names the environment variable that limits the size of files that a child process can write, in bytes, as a full disk does.
const fileLimit = "LIKC_TEST_FILE_LIMIT"

// init sets the limit, in a child process that has the variable.
func init() {
	limit, err := strconv.ParseUint(os.Getenv(fileLimit), 10, 63)
	if err != nil {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &syscall.Rlimit{Cur: limit, Max: limit}); err != nil {
		panic(err)
	}
}
