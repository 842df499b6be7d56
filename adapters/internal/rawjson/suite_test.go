//go:build jsonsuite

package rawjson

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestSuite runs a directory of files named as in the public JSON parsing test suite (github.com/nst/JSONTestSuite):
// y_ must be accepted, n_ refused, i_ as the standard library says, alone and as a member.
//
//	SABIR_JSON_SUITE=<test_parsing> go test -tags jsonsuite -run TestSuite ./adapters/internal/rawjson
func TestSuite(t *testing.T) {
	dir := os.Getenv("SABIR_JSON_SUITE")
	files, err := filepath.Glob(filepath.Join(dir, "[yni]_*.json"))
	if err != nil || dir == "" || len(files) < 300 {
		t.Fatalf("SABIR_JSON_SUITE=%q holds %d files (%v), want the whole suite", dir, len(files), err)
	}
	var d Decoder
	count := map[string]int{}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		kind := filepath.Base(file)[:1]
		want := kind == "y" || kind == "i" && wantReason(data, DefaultMaxDepth) == ""
		count[kind]++
		if err := d.Valid(data); (err == nil) != want {
			t.Errorf("%s: %v", filepath.Base(file), err)
		}
		var s small
		reason := reasonOf(t, d.Decode(data, &s))
		if ok := reason == "" || reason == ReasonType; ok != want {
			t.Errorf("%s: decoding says %q", filepath.Base(file), reason)
		}
		member := []byte(padding + `{"a":` + string(data) + `}`)
		if reason := reasonOf(t, d.Decode(member, &s)); (reason == "") != want && !strings.ContainsAny(string(data), ",}") {
			t.Errorf("%s: as a member: %q", filepath.Base(file), reason)
		}
		if want {
			checkValue(t, bytes.Clone(data))
		}
	}
	t.Logf("files: %v", count)
}
