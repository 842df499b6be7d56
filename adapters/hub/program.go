package hub

import (
	"path/filepath"
	"slices"
)

// Program is an agent that people have, as they call it.
type Program struct {
	Name []string // the program, and the words behind it that tell it from others
	Args []string // what it is called with beside, so that it speaks the dialect
	Env  []string // the variables with its key and its settings
}

// Fits reports whether a command calls the program.
func (p *Program) Fits(command []string) bool {
	if len(command) == 0 || filepath.Base(command[0]) != p.Name[0] {
		return false
	}
	for _, word := range p.Name[1:] {
		if !slices.Contains(command[1:], word) {
			return false
		}
	}
	return true
}

// Complete is the command, with what it has to be called with where it is the name alone.
func (p *Program) Complete(command []string) []string {
	if len(command) > len(p.Name) {
		return command
	}
	return slices.Concat(command, p.Args)
}
