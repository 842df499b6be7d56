package config

import (
	"fmt"
	"testing"
)

func TestExpand(t *testing.T) {
	f := func(in, want string) {
		t.Helper()
		got, _, err := expand(in, env)
		if err != nil {
			got = "error: " + err.Error()
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", in, got, want)
		}
	}
	f("", "")
	f("plain", "plain")
	f("${TOKEN}", "s3cret")
	f("a${TOKEN}b${NUMBER}c", "as3cretb10c")
	f("${NONE:-x y}", "x y")
	f("${EMPTY}", "")
	f("${EMPTY:-x}", "x")
	f("${TOKEN:-x}", "s3cret")
	f("${NONE:-}", "")
	f("${NONE:-:-}", ":-")
	f("${NONE:-$1}", "$1")
	f("$$", "$")
	f("$${TOKEN}", "${TOKEN}")
	f("$$${TOKEN}", "$s3cret")
	f("$TOKEN", "$TOKEN")
	f("100$", "100$")
	f("${DOLLAR}", "${TOKEN}")
	f("${NONE}", "error: environment variable NONE is not set; set it, or give a default: ${NONE:-default}")
	f("${LATIN}", "error: environment variable LATIN is not UTF-8 text")
	f("${TOKEN", `error: "${TOKEN" has no closing brace; for a literal dollar sign write $$`)
	f("${}", `error: "${}" is not ${NAME} or ${NAME:-default}; for a literal dollar sign write $$`)
	f("${A-B}", `error: "${A-B}" is not ${NAME} or ${NAME:-default}; for a literal dollar sign write $$`)
	f("${NONE:-${TOKEN}}", `error: references cannot be nested: "${NONE:-${TOKEN}"`)
}

func TestUnits(t *testing.T) {
	size := func(in, want string) {
		t.Helper()
		var s Size
		got := "bad"
		if s.UnmarshalText([]byte(in)) == nil {
			got = fmt.Sprintf("%d %s", int64(s), s)
		}
		if got != want {
			t.Errorf("size %q: got %q, want %q", in, got, want)
		}
	}
	size("0", "0 0")
	size("512", "512 512")
	size("512B", "512 512")
	size("64KiB", "65536 64KiB")
	size("8 MiB", "8388608 8MiB")
	size("1.5KiB", "1536 1536")
	size("1.5MB", "1500000 1500000")
	size("2GB", "2000000000 1953125KiB")
	size("3GiB", "3221225472 3GiB")
	size("-1", "-1 -1")
	size("0.1B", "bad")
	size("8388608GiB", "9007199254740992 8388608GiB")
	size("9223372036854775807GiB", "bad")
	size("8589934591GiB", "9223372035781033984 8589934591GiB")
	size("8589934592GiB", "bad")
	size("-8589934592GiB", "-9223372036854775808 -8589934592GiB")
	size("-8589934593GiB", "bad")
	size("9007199254740991.0", "9007199254740991 9007199254740991")
	size("9007199254740992.0", "bad") // a fraction, and no longer exact
	for _, in := range []string{"", "B", "x", "1k", "1 TB", "1e3", "MiB", "0x10", "inf", "NaNB", "1..2"} {
		size(in, "bad")
	}

	duration := func(in, want string) {
		t.Helper()
		d, err := parseDuration(in)
		got := d.String()
		if err != nil {
			got = err.Error()
			if d != 0 {
				t.Errorf("duration %q: %s beside an error", in, d)
			}
		}
		if got != want {
			t.Errorf("duration %q: got %q, want %q", in, got, want)
		}
	}
	duration("0", "0s")
	duration("1h30m", "1h30m0s")
	duration("30", `"30" has no unit; for seconds write 30s`)
	duration("90", `"90" has no unit; for seconds write 90s`)
	duration("18446744073709551615", `"18446744073709551615" has no unit; for seconds write 18446744073709551615s`)
	duration("2d", `"2d": days are no unit; write 48h`)
	duration("2a", `"2a" is not a duration such as 250ms, 30s or 5m`)
	duration("2ad", `"2ad" is not a duration such as 250ms, 30s or 5m`)
	duration("65535d", `"65535d": days are no unit; write 1572840h`)
	duration("65536d", `"65536d" is not a duration such as 250ms, 30s or 5m`)
	duration("", `"" is not a duration such as 250ms, 30s or 5m`)
	duration("d", `"d" is not a duration such as 250ms, 30s or 5m`)
}

func TestDistance(t *testing.T) {
	f := func(a, b string, want int) {
		t.Helper()
		if got := distance(a, b); got != want {
			t.Errorf("%q and %q: got %d, want %d", a, b, got, want)
		}
	}
	f("listen", "listen", 0)
	f("lisen", "listen", 1)
	f("lsiten", "listen", 1)
	f("listens", "listen", 1)
	f("liston", "listen", 1)
	f("", "", 0)
	f("a", "listen", 7)
	f("ab", "abcd", 2)
	f("abcd", "ab", 2)
	f("ab", "abcde", 7) // more than twice as long
	f("abcde", "ab", 7)

	// All short words, against the definition.
	words := []string{""}
	for i := 0; len(words[i]) < 5; i++ {
		words = append(words, words[i]+"a", words[i]+"b")
	}
	for _, a := range words {
		for _, b := range words {
			if len(a) <= 2*len(b) && len(b) <= 2*len(a) {
				f(a, b, edits(a, b))
			}
		}
	}
}

// edits is the definition of distance.
func edits(a, b string) int {
	if a == "" || b == "" {
		return len(a) + len(b)
	}
	i, j := len(a)-1, len(b)-1
	replace := 1
	if a[i] == b[j] {
		replace = 0
	}
	least := min(edits(a[:i], b[:j])+replace, edits(a[:i], b)+1, edits(a, b[:j])+1)
	if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
		least = min(least, edits(a[:i-1], b[:j-1])+1)
	}
	return least
}

func TestNearest(t *testing.T) {
	f := func(word, want string, known ...string) {
		t.Helper()
		if got := Nearest(word, known); got != want {
			t.Errorf("%q among %q: got %q, want %q", word, known, got, want)
		}
	}
	f("listn", "listen", "limits", "listen")
	f("LISTEN", "listen", "limits", "listen")
	f("abc", "axy", "axy")               // two edits, which are as many as three letters may have
	f("abc", "axy", "xyz", "axy", "ayx") // of two that are as near, the first
	f("abc", "abd", "axy", "abd")        // the nearer one
	f("abc", "", "xyz")
	f("abcdef", "abcxyz", "abcxyz")
	f("abcdef", "", "abwxyz")
	f("abc", "")
}
