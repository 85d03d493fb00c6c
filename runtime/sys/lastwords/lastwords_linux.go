package lastwords

import "syscall"

// init runs before the initialisation of package os, which then opens the standard error that is set here, and before packages
// that use much memory. For this reason the package imports only syscall.
func init() {
	if _, second := syscall.Getenv(variable); second {
		syscall.Exit(sayShortly())
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit); err == nil && limit.Cur < fewestFiles {
		syscall.Write(standardError, []byte(noFiles))
		syscall.Exit(1)
	}
	if err := syscall.Getrlimit(syscall.RLIMIT_AS, &limit); err == nil && limit.Cur != ^uint64(0) {
		divert()
	}
}

// fewestFiles is the least limit on open files with which Go's runtime can wait for files. Below it the runtime would end the program with its
// stacks as soon as package os is initialised.
const fewestFiles = 8

const noFiles = "likc: open files: the limit is too low: want at least 8 (ulimit -n 8)\n"

// variable is the environment variable by which the second process knows that it is the second.
const variable = "LIKC_LAST_WORDS"

// Go's runtime and the C library write to standardError; the second process writes to visible, so that its own end is silent.
const (
	standardError = 2
	visible       = 3
)

// divert starts the second process, and sends standard error through a pipe to it. Package os gets the original standard error.
// If a step fails, the program runs as it would without this package.
func divert() {
	var pipe [2]int
	if syscall.Pipe2(pipe[:], syscall.O_CLOEXEC) != nil {
		return
	}
	defer syscall.Close(pipe[0])
	defer syscall.Close(pipe[1])
	kept, err := syscall.Dup(standardError)
	if err != nil {
		return
	}
	syscall.CloseOnExec(kept)
	none, err := syscall.Open("/dev/null", syscall.O_RDWR|syscall.O_CLOEXEC, 0)
	if err != nil {
		return
	}
	defer syscall.Close(none)
	_, err = syscall.ForkExec("/proc/self/exe", []string{"likc"}, &syscall.ProcAttr{
		Env:   append(syscall.Environ(), variable+"=1", "GOMAXPROCS=1", "MALLOC_ARENA_MAX=1"),
		Files: []uintptr{uintptr(pipe[0]), uintptr(none), uintptr(none), uintptr(kept)},
		Sys:   &syscall.SysProcAttr{Setpgid: true}, // Ctrl-C goes only to the first process
	})
	if err == nil && syscall.Dup3(pipe[1], standardError, 0) == nil {
		syscall.Stderr = kept
	}
}

// signs are texts by which messages about a lack of memory are recognised.
var signs = []string{"out of memory", "annot allocate memory", "failed to reserve", "cannot map pages", "pthread_create failed", "failed to create new OS thread"}

const noMemory = "likc: out of memory: the address space is limited (ulimit -v): use less data or fewer threads, or allow more\n"

// sayShortly prints what the first process wrote to standard error before it ended. If that text is about memory, it prints one
// line instead. It returns the exit status of the second process.
func sayShortly() int {
	words := make([]byte, 0, 1<<20)
	for len(words) < cap(words) {
		n, err := syscall.Read(0, words[len(words):cap(words)])
		if err == syscall.EINTR {
			continue
		}
		if n <= 0 {
			break
		}
		words = words[:len(words)+n]
	}
	for _, sign := range signs {
		if contains(words, sign) {
			words = []byte(noMemory)
			break
		}
	}
	syscall.Write(visible, words)
	return 0
}

// contains reports whether words hold sign. This package must not import package strings, which is initialised after package os.
func contains(words []byte, sign string) bool {
	for i := range len(words) - len(sign) + 1 {
		if string(words[i:i+len(sign)]) == sign {
			return true
		}
	}
	return false
}
