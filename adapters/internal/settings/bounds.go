package settings

import (
	"math"
	"strconv"

	"github.com/sabir-proxy/sabir/adapters/hub"
	"github.com/sabir-proxy/sabir/adapters/internal/jsonwriter"
	"github.com/sabir-proxy/sabir/adapters/internal/rawjson"
)

// MostStops keeps no more stop sequences than an API takes. That others are left out is the loss settings.stop.
func MostStops(s *hub.Settings, most int, l *hub.Losses) {
	kept, n := jsonwriter.New(nil), 0
	kept.Open('[')
	for v := range rawjson.Each(s.Stop) {
		if n++; n <= most {
			kept.Raw(v)
		}
	}
	if kept.Close(']'); n > most {
		l.Add("settings.stop")
		s.Stop = kept.Buf
	}
}

// Seed32 leaves out a seed that has no place in 32 bits, for APIs that refuse one. It is the loss settings.seed.
func Seed32(s *hub.Settings, l *hub.Losses) {
	if s.Seed == nil {
		return
	}
	if n, err := strconv.ParseFloat(string(s.Seed), 64); err != nil || n != math.Trunc(n) || n < math.MinInt32 || n > math.MaxInt32 {
		l.Add("settings.seed")
		s.Seed = nil
	}
}

// MostTemperature lowers a temperature to the highest that an API takes, which is the loss settings.temperature.
func MostTemperature(s *hub.Settings, most float64, l *hub.Losses) {
	if t, err := strconv.ParseFloat(string(s.Temperature), 64); err == nil && t > most {
		l.Add("settings.temperature")
		s.Temperature = strconv.AppendFloat(nil, most, 'g', -1, 64)
	}
}
