package main

import (
	"bytes"
	"io"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/buffer"
	"go.uber.org/zap/zapcore"

	"github.com/sabir-proxy/sabir/cmd/sabir/internal/logsink"
	"github.com/sabir-proxy/sabir/config"
	"github.com/sabir-proxy/sabir/proxy/printable"
)

// newLogger makes the logger that a configuration asks for. The level can be changed while it is used.
func newLogger(c config.Log, w io.Writer) (*zap.Logger, zap.AtomicLevel) {
	level := zap.NewAtomicLevelAt(levelOf(c))
	out := zapcore.Lock(zapcore.AddSync(w))
	// What zap has to say of itself goes the same way: its own default could wait for a stuck output.
	return zap.New(zapcore.NewCore(logEncoder(c), out, level), zap.ErrorOutput(out)), level
}

// logEncoder is how lines are written.
func logEncoder(c config.Log) zapcore.Encoder {
	return plainEncoder{encoderOf(c)}
}

// plainEncoder writes lines that a terminal shows as they are.
type plainEncoder struct{ zapcore.Encoder }

// Clone implements [zapcore.Encoder].
func (e plainEncoder) Clone() zapcore.Encoder { return plainEncoder{e.Encoder.Clone()} }

// EncodeEntry implements [zapcore.Encoder].
func (e plainEncoder) EncodeEntry(entry zapcore.Entry, fields []zapcore.Field) (*buffer.Buffer, error) {
	line, err := e.Encoder.EncodeEntry(entry, fields)
	if err != nil {
		return nil, err
	}
	if shown := printable.Escape(line.Bytes()); len(shown) != line.Len() {
		line.Reset()
		_, _ = line.Write(shown) // it has room for everything
	}
	return line, nil
}

func encoderOf(c config.Log) zapcore.Encoder {
	e := zap.NewProductionEncoderConfig()
	e.TimeKey, e.EncodeTime = "time", zapcore.RFC3339NanoTimeEncoder
	if c.Format == "console" {
		e.EncodeTime = zapcore.TimeEncoderOfLayout("15:04:05.000")
		e.EncodeLevel = zapcore.CapitalLevelEncoder
		e.EncodeDuration = zapcore.StringDurationEncoder
		return zapcore.NewConsoleEncoder(e)
	}
	return zapcore.NewJSONEncoder(e)
}

// newLogSink makes what a log can be written to without ever waiting for w.
func newLogSink(c config.Log, w io.Writer) *logsink.Writer {
	encoder := logEncoder(c)
	return logsink.New(w, func(dropped int64) []byte {
		entry := zapcore.Entry{Level: zapcore.WarnLevel, Time: time.Now(), Message: "log lines were dropped, because the output is not read"}
		line, err := encoder.EncodeEntry(entry, []zap.Field{zap.Int64("lines", dropped)})
		if err != nil {
			return nil
		}
		defer line.Free()
		return bytes.Clone(line.Bytes())
	})
}

// levelOf is the level of a checked configuration.
func levelOf(c config.Log) zapcore.Level {
	level, err := zapcore.ParseLevel(c.Level)
	if err != nil {
		return zapcore.InfoLevel
	}
	return level
}
