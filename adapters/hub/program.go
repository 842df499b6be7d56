package hub

import (
	"path/filepath"
	"slices"
	"strings"
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

// Complete is the command, with what it has to be called with to speak the dialect. A command that says itself in which form it writes is
// complete, whatever else it lacks.
func (p *Program) Complete(command []string) []string {
	groups := p.groups()
	for _, group := range groups {
		if strings.Contains(strings.Join(group, " "), "json") && has(command, group[0]) {
			return command
		}
	}
	command = slices.Clone(command)
	for _, group := range groups {
		if !has(command, group[0]) {
			command = append(command, group...)
		}
	}
	return command
}

// groups are the flags of Args, each with its value.
func (p *Program) groups() (groups [][]string) {
	for _, word := range p.Args {
		if strings.HasPrefix(word, "-") {
			groups = append(groups, nil)
		}
		last := len(groups) - 1
		groups[last] = append(groups[last], word)
	}
	return groups
}

// has reports whether a command has a flag.
func has(command []string, flag string) bool {
	return slices.ContainsFunc(command, func(word string) bool { return word == flag || strings.HasPrefix(word, flag+"=") })
}
