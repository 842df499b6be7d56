//go:build !(amd64 || arm64) || go1.28 || sabir_portable

package rawjson

import "unicode/utf8"

func validUTF8(data []byte) bool { return utf8.Valid(data) }
