//go:build (amd64 || arm64) && !go1.28 && !sabir_portable

package rawjson

import (
	"testing"
	"unicode/utf8"
	"unsafe"

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
		if !sonicDecode(decoder.NewDecoder(""), data, &want) || show(&got) != show(&want) {
			t.Fatalf("%q gives %s, sonic gives %s", data, show(&got), show(&want))
		}
	})
}

// BenchmarkSonic decodes the records of BenchmarkDecode.
func BenchmarkSonic(b *testing.B) {
	f := func(name string, data []byte, v any, zero func()) {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			d := decoder.NewDecoder("")
			for b.Loop() {
				zero()
				if !sonicDecode(d, data, v) {
					b.Fatal("record is not valid")
				}
			}
		})
	}
	var u update
	for _, rec := range benchRecords {
		f(rec.name, rec.data, &u, func() { u = update{} })
	}
	var v flat
	f("flat", []byte(flatRecord), &v, func() { v = flat{} })
}
