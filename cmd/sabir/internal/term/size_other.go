//go:build !unix

package term

import "os"

// columnsOf is not known here; output is as for a file.
func columnsOf(*os.File) int { return 0 }

// isTerminal takes every device of characters for one.
func isTerminal(file *os.File) bool {
	info, err := file.Stat()
	return err == nil && info.Mode()&os.ModeCharDevice != 0
}
