//go:build (amd64 || arm64) && !go1.28 && !sabir_portable

package rawjson

import (
	"encoding/json"
	"runtime"
	"testing"
	"unicode/utf8"
	"unsafe"

	"github.com/bytedance/sonic"
	"github.com/bytedance/sonic/decoder"
)

// sonicDecode is how sonic would be used: its decoder reused, its own checks on, and UTF-8 checked before, as it repairs bad
// UTF-8 in a copy instead of refusing it.
func sonicDecode(d *decoder.Decoder, data []byte, v any) bool {
	d.SetOptions(decoder.OptionValidateString | decoder.OptionCaseSensitive)
	d.Reset(unsafe.String(unsafe.SliceData(data), len(data)))
	return validUTF8(data) && d.Decode(v) == nil && d.CheckTrailings() == nil
}

// FuzzSonic: sonic agrees with what the scanner accepts, and fills the same fields with the same bytes. The opposite does not
// hold: in strings that do not end near the end of the text, sonic accepts escapes that JSON does not have.
func FuzzSonic(f *testing.F) {
	for _, seed := range seeds {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if validUTF8(data) != utf8.Valid(data) {
			t.Fatalf("%q: UTF-8: %v", data, validUTF8(data))
		}
		var d Decoder
		var got, want small
		if d.Decode(data, &got) != nil {
			return
		}
		ok := sonicDecode(decoder.NewDecoder(""), data, &want)
		if !ok && runtime.GOARCH != "amd64" && json.Unmarshal(data, new(any)) != nil {
			return // there sonic refuses numbers beyond those of 64 bits
		}
		if !ok || show(&got) != show(&want) {
			t.Fatalf("%q gives %s, sonic gives %s", data, show(&got), show(&want))
		}
	})
}

// sonicUpdate is update with the fields that sonic does not copy into.
type sonicUpdate struct {
	Type      sonic.NoCopyRawMessage `json:"type"`
	ID        sonic.NoCopyRawMessage `json:"messageId"`
	Delta     sonic.NoCopyRawMessage `json:"delta"`
	SessionID sonic.NoCopyRawMessage `json:"sessionId"`
	Update    struct {
		Kind    sonic.NoCopyRawMessage `json:"sessionUpdate"`
		Content struct {
			Type sonic.NoCopyRawMessage `json:"type"`
			Text sonic.NoCopyRawMessage `json:"text"`
		} `json:"content"`
	} `json:"update"`
}

// go test -run '^$' -bench 'BenchmarkDecode|BenchmarkSonic|BenchmarkStandardValid' -count 8 ./adapters/internal/rawjson
func BenchmarkSonic(b *testing.B) {
	d := decoder.NewDecoder("")
	for _, rec := range benchRecords {
		b.Run(rec.name, func(b *testing.B) {
			b.SetBytes(int64(len(rec.data)))
			b.ReportAllocs()
			var u sonicUpdate
			for b.Loop() {
				u = sonicUpdate{}
				if !sonicDecode(d, rec.data, &u) {
					b.Fatal("record is not valid")
				}
			}
		})
	}
}
