//go:build !unix

package process

import (
	"errors"
	"os"
)

// family is not to be had here: there are no process groups.
type family struct {
	pid   int
	ended chan struct{}
	exit  string
}

func startFamily(string, string, []string, *os.ProcAttr) (*family, error) {
	return nil, errors.ErrUnsupported
}

func (f *family) alive() bool   { return false }
func (f *family) terminate()    {}
func (f *family) interrupt()    {}
func (f *family) kill() int     { return 0 }
func (f *family) memory() int64 { return 0 }
func (f *family) close()        {}
