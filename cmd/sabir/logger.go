package main

import (
	"io"

	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/sabir-proxy/sabir/config"
)

// newLogger makes the logger that a configuration asks for. The level can be changed while it is used.
func newLogger(c config.Log, w io.Writer) (*zap.Logger, zap.AtomicLevel) {
	level := zap.NewAtomicLevelAt(levelOf(c))
	e := zap.NewProductionEncoderConfig()
	e.TimeKey, e.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	encoder := zapcore.NewJSONEncoder(e)
	if c.Format == "console" {
		e.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		e.EncodeDuration = zapcore.StringDurationEncoder
		encoder = zapcore.NewConsoleEncoder(e)
	}
	return zap.New(zapcore.NewCore(encoder, zapcore.Lock(zapcore.AddSync(w)), level)), level
}

// levelOf is the level of a checked configuration.
func levelOf(c config.Log) zapcore.Level {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		return zapcore.InfoLevel
	}
	return level
}
