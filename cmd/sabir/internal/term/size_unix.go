//go:build unix

package term

import (
	"os"

	"golang.org/x/sys/unix"
)

// columnsOf is the width of a terminal in columns, 0 if file is none.
func columnsOf(file *os.File) int {
	size, err := unix.IoctlGetWinsize(int(file.Fd()), unix.TIOCGWINSZ)
	if err != nil {
		return 0
	}
	if size.Col == 0 { // a terminal that does not know its size
		return usualWidth
	}
	return int(size.Col)
}

func isTerminal(file *os.File) bool { return columnsOf(file) > 0 }
