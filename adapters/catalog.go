package adapters

import (
	"fmt"
	"slices"
	"strings"

	"github.com/sabir-proxy/sabir/adapters/hub"
)

// Catalog answers questions about the registry while a configuration or a command line is checked.
type Catalog struct{}

// The sides of the proxy on which a dialect can be used.
const (
	Upstream = "upstream" // what the agent server speaks; it is decoded
	Client   = "client"   // what the client speaks; it is encoded
)

// Check returns every problem with the use of dialect name on a side with these options, which come from YAML (typed)
// or from a command line (text); nil when fine. A name that does not exist, or not on this side, is one problem, and the
// options are not looked at.
func (Catalog) Check(name, side string, options map[string]any) []error {
	d, err := Lookup(name)
	if err != nil {
		return []error{err}
	}
	if !Serves(d, side) {
		return []error{fmt.Errorf("%s cannot be used for the %s; there is: %s", name, side, strings.Join(namesFor(side), ", "))}
	}
	_, problems := d.ParseOptions(options)
	for _, spec := range d.Options {
		if _, set := options[spec.Name]; set && !Applies(spec, side) {
			problems = append(problems, fmt.Errorf("option %s of %s means nothing for the %s; it changes how the dialect is %s",
				spec.Name, name, side, map[string]string{Upstream: "written", Client: "read"}[side]))
		}
	}
	return problems
}

// Serves reports whether d can be used on a side.
func Serves(d *hub.Dialect, side string) bool {
	if side == Upstream {
		return d.NewDecoder != nil
	}
	return d.NewEncoder != nil
}

// Applies reports whether an option means something on a side.
func Applies(spec hub.OptionSpec, side string) bool {
	if side == Upstream {
		return spec.Decode
	}
	return spec.Encode
}

func namesFor(side string) []string {
	return slices.DeleteFunc(Names(), func(name string) bool {
		d, _ := Lookup(name)
		return !Serves(d, side)
	})
}
