package hub

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

var errNoObject = errors.New("want a map, or a JSON object")

// parseObject returns a JSON object, or "" where nothing is set.
func parseObject(raw any) (string, error) {
	if raw == "" {
		return "", nil
	}
	object, err := []byte(nil), error(nil)
	switch v := raw.(type) {
	case string:
		object = []byte(v)
		err = new(rawjson.Decoder).Valid(object)
	case map[string]any:
		object, err = appendJSON(nil, v)
	}
	switch {
	case err != nil:
		return "", fmt.Errorf("%w: %w", errNoObject, err)
	case rawjson.Kind(object) != '{':
		return "", errNoObject
	}
	return string(object), nil
}

// appendJSON appends a value as a configuration has it. Members are in the order of their names.
func appendJSON(dst []byte, value any) (_ []byte, err error) {
	switch v := value.(type) {
	case nil:
		return append(dst, "null"...), nil
	case string:
		return rawjson.AppendQuoted(dst, rawjson.AppendEscaped(nil, []byte(v))), nil
	case bool, int, int64, uint64:
		return fmt.Append(dst, v), nil
	case float64:
		if math.IsNaN(v) || math.IsInf(v, 0) {
			return dst, fmt.Errorf("%v is no number in JSON", v)
		}
		return strconv.AppendFloat(dst, v, 'g', -1, 64), nil
	case []any:
		dst = append(dst, '[')
		for i, e := range v {
			if dst, err = appendJSON(comma(dst, i), e); err != nil {
				return dst, err
			}
		}
		return append(dst, ']'), nil
	case map[string]any:
		dst = append(dst, '{')
		for i, key := range slices.Sorted(maps.Keys(v)) {
			dst = rawjson.AppendQuoted(comma(dst, i), rawjson.AppendEscaped(nil, []byte(key)))
			if dst, err = appendJSON(append(dst, ':'), v[key]); err != nil {
				return dst, err
			}
		}
		return append(dst, '}'), nil
	}
	return dst, fmt.Errorf("%v (%T) has no form in JSON", value, value)
}

func comma(dst []byte, i int) []byte {
	if i > 0 {
		dst = append(dst, ',')
	}
	return dst
}
