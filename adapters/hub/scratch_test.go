package hub

import "testing"

// An empty member and one that is not there are two things, and which of them comes out must not depend on whether the
// scratch was used before.
func TestScratchEmptyIsNotNil(t *testing.T) {
	nothing := func(dst []byte) []byte { return dst }
	for _, used := range []bool{false, true} {
		var s Scratch
		if used {
			s.Copy([]byte("used"))
			s.Reset()
		}
		if got := s.Since(s.Begin()); got == nil {
			t.Errorf("used %v: Since of nothing is nil", used)
		}
		if got := s.Append(nothing); got == nil {
			t.Errorf("used %v: Append of nothing is nil", used)
		}
		if got := s.Copy([]byte{}); got == nil {
			t.Errorf("used %v: Copy of an empty slice is nil", used)
		}
		if got := s.Copy(nil); got != nil {
			t.Errorf("used %v: Copy(nil) is %q", used, got)
		}
	}
}
