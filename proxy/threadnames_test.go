package proxy

import (
	"encoding/hex"
	"regexp"
	"strings"
	"testing"
)

// TestNewThreadsHaveUUIDs: a name that is made for a conversation is a UUID by chance: but for its version and its variant, each bit of it is
// set in some names and not in others.
func TestNewThreadsHaveUUIDs(t *testing.T) {
	t.Parallel()
	form := regexp.MustCompile(`^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`)
	var some, all [16]byte
	for i := range all {
		all[i] = 0xff
	}
	for range 200 {
		name := string(newThread())
		if !form.MatchString(name) {
			t.Fatalf("%s is no UUID", name)
		}
		b, err := hex.DecodeString(strings.ReplaceAll(name, "-", ""))
		if err != nil {
			t.Fatal(err)
		}
		for i := range b {
			some[i] |= b[i]
			all[i] &= b[i]
		}
	}
	for i := range all {
		always, never := byte(0), byte(0)
		switch i {
		case 6:
			always, never = 0x40, 0xb0
		case 8:
			always, never = 0x80, 0x40
		}
		if all[i] != always || some[i] != ^never {
			t.Errorf("byte %d: %08b are always set, %08b sometimes", i, all[i], some[i])
		}
	}
}
