package adapters_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/sabir-proxy/sabir/adapters"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

var dialectName = regexp.MustCompile(`^[a-z0-9]+(-[a-z0-9]+)*$`)

// TestRegistry checks what tables, labels and help texts are made from.
func TestRegistry(t *testing.T) {
	names, accepts := map[string]bool{}, map[string]string{}
	for _, d := range adapters.All() {
		t.Run(d.Name, func(t *testing.T) {
			switch {
			case !dialectName.MatchString(d.Name):
				t.Error("names are made of a-z, 0-9 and single hyphens")
			case names[d.Name]:
				t.Error("the name is taken")
			case d.Title == "" || !strings.HasSuffix(d.Doc, "."):
				t.Errorf("want a title and a sentence: %q, %q", d.Title, d.Doc)
			case d.NewDecoder == nil && d.NewEncoder == nil:
				t.Error("is neither decoded nor encoded")
			case d.NewDecoder != nil && d.Observe == nil:
				t.Error("what can be copied must be observed: Observe is nil")
			case !slices.Contains(d.Framings, d.Framing):
				t.Errorf("the framings %v lack the default, %s", d.Framings, d.Framing)
			case d.EndGrace < 0:
				t.Errorf("settles for %s", d.EndGrace)
			}
			names[d.Name] = true
			for _, a := range d.Accept {
				if other := accepts[a]; other != "" {
					t.Errorf("%s chooses %s already", a, other)
				}
				accepts[a] = d.Name
			}
			checkOptions(t, d)
			checkNew(t, d)
		})
	}
}

func checkOptions(t *testing.T, d *hub.Dialect) {
	t.Helper()
	seen := map[string]bool{}
	for _, o := range d.Options {
		switch {
		case seen[o.Name] || o.Name == "":
			t.Errorf("option %q: want a name of its own", o.Name)
		case !strings.HasSuffix(o.Doc, "."):
			t.Errorf("option %s: want a sentence: %q", o.Name, o.Doc)
		case !o.Decode && !o.Encode:
			t.Errorf("option %s means nothing, neither where the dialect is read nor where it is written", o.Name)
		case o.Type == hub.OptionEnum && len(o.Values) < 2:
			t.Errorf("option %s: an enum needs values to choose from", o.Name)
		}
		seen[o.Name] = true
		if o.Type == hub.OptionText && o.Default == "" {
			continue
		}
		if _, problems := d.ParseOptions(map[string]any{o.Name: o.Default}); len(problems) > 0 {
			t.Errorf("the default of option %s: %v", o.Name, problems)
		}
	}
}

// checkNew makes a decoder and an encoder with defaults: they may ask only for options that are declared.
func checkNew(t *testing.T, d *hub.Dialect) {
	t.Helper()
	if d.NewDecoder != nil && d.NewDecoder(d.Defaults()) == nil {
		t.Error("makes no decoder")
	}
	if d.NewEncoder != nil && d.NewEncoder(d.Defaults()) == nil {
		t.Error("makes no encoder")
	}
}

func TestLookup(t *testing.T) {
	for _, name := range adapters.Names() {
		if d, err := adapters.Lookup(name); err != nil || d.Name != name {
			t.Errorf("%s: %v, %v", name, d, err)
		}
	}
	if !slices.IsSorted(adapters.Names()) || len(adapters.Names()) != len(adapters.All()) {
		t.Errorf("names are %v", adapters.Names())
	}
	if _, err := adapters.Lookup("no-such"); err == nil || !strings.Contains(err.Error(), "native") {
		t.Errorf("an unknown name gives %v; want the names there are", err)
	}
}
