package adaptertest

import (
	"fmt"
	"regexp"
	"slices"
	"testing"

	"github.com/sabir-proxy/sabir/adapters/fastpath"
	"github.com/sabir-proxy/sabir/adapters/hub"
)

var nameOfDialect = regexp.MustCompile(`^[a-z][a-z0-9-]*$`)

// testDescription fails if d lacks what every dialect must say. Nothing else is tested then: a nil function would panic
// somewhere that does not name the dialect.
func testDescription(t *testing.T, d *hub.Dialect) {
	t.Helper()
	for _, p := range problems(d) {
		t.Errorf("%s: %s", d.Name, p)
	}
	if t.Failed() {
		t.FailNow()
	}
}

// problems are what is missing in a description, or contradicts itself.
func problems(d *hub.Dialect) (list []string) {
	check := func(ok bool, format string, args ...any) {
		if !ok {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	check(nameOfDialect.MatchString(d.Name), "Name must match %s", nameOfDialect)
	check(d.Title != "", "Title is missing: who speaks the dialect, in a few words")
	check(d.Doc != "", "Doc is missing: one sentence for the tables")
	check(slices.Contains(d.Framings, d.Framing), "Framings must list every framing the dialect travels in, and Framing among them")
	check(d.NewDecoder != nil || d.NewEncoder != nil, "NewDecoder and NewEncoder are missing: a dialect has one at least")
	check(d.Observe != nil || d.Watch != nil, "Observe is missing: it says which record ends a stream that is copied. Watch takes its place where that depends on options")
	check(d.NewDecoder != nil || len(d.TemplateKinds)+len(d.Varying) == 0, "TemplateKinds and Varying are promises of a decoder, and there is none")
	check(len(d.ReadMembers) == 0 || reads(d), "ReadMembers needs a decoder that is a fastpath.MemberReader: else what they say is lost")
	check(len(d.ReadMembers) <= 8 && len(d.Varying)+len(d.ReadMembers) <= 16, "Varying and ReadMembers are 16 at most, 8 of them read")
	check(d.UsageMember == "" || tracks(d), "UsageMember needs a decoder that is a fastpath.TextTracker: else what it counts is lost")
	for _, k := range d.TemplateKinds {
		check(slices.Contains([]hub.Kind{hub.TextDelta, hub.ToolArgs, hub.ToolOutput}, k), "TemplateKinds has %s, which is no delta", k)
	}
	for class, policy := range d.Policies {
		check(d.NewEncoder != nil, "Policies has %s: %s, but there is no encoder", class, policy)
	}
	return list
}

// tracks reports whether the decoder keeps account of deltas that it need not read.
func tracks(d *hub.Dialect) bool {
	if d.NewDecoder == nil {
		return false
	}
	_, ok := d.NewDecoder(d.Defaults()).(fastpath.TextTracker)
	return ok
}

// reads reports whether the decoder reads members of deltas that it need not read otherwise.
func reads(d *hub.Dialect) bool {
	if d.NewDecoder == nil {
		return false
	}
	_, ok := d.NewDecoder(d.Defaults()).(fastpath.MemberReader)
	return ok
}
