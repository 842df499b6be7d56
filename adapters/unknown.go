package adapters

import (
	"fmt"
	"slices"
	"strings"
)

// UnknownError says that there is no dialect of a name, and which one is meant, if a similar one exists.
type UnknownError struct {
	Name  string
	Known []string // the dialects that there are

	meant []string
}

// Error is `there is no dialect "ag-ui"; did you mean agui?`, or lists the dialects that there are.
func (e *UnknownError) Error() string {
	if len(e.meant) > 0 {
		return fmt.Sprintf("there is no dialect %q; did you mean %s?", e.Name, strings.Join(e.meant, " or "))
	}
	return fmt.Sprintf("there is no dialect %q; there is: %s", e.Name, strings.Join(e.Known, ", "))
}

// Suggest returns the error with a name that the caller found to be near; "" changes nothing.
func (e *UnknownError) Suggest(name string) *UnknownError {
	if name == "" || len(e.meant) > 0 {
		return e
	}
	with := *e
	with.meant = []string{name}
	return &with
}

// aliased lists the dialects that go by a name elsewhere.
func aliased(name string) (names []string) {
	for _, d := range all {
		if slices.Contains(d.Aliases, strings.ToLower(name)) {
			names = append(names, d.Name)
		}
	}
	return names
}
