package caddymcp

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/caddyserver/caddy/v2"
)

// Files is the only folder from which programs may read files, for uploads.
// Links that lead out of it are refused.
type Files struct {
	// The folder. Placeholders are allowed.
	Dir string `json:"dir,omitempty"`

	// The endings of names that may be read, such as '.jpg'. Default: all.
	Extensions []string `json:"extensions,omitempty"`

	// The largest file, in bytes. Default: 10 MiB.
	MaxSize int64 `json:"max_size,omitempty"`

	root *os.Root
}

const defaultMaxFile = 10 << 20

// provision opens the folder.
func (f *Files) provision() error {
	dir, err := caddy.NewReplacer().ReplaceOrErr(f.Dir, true, true)
	if err != nil {
		return fmt.Errorf("files: %w", err)
	}
	if f.MaxSize == 0 {
		f.MaxSize = defaultMaxFile
	}
	if f.root, err = os.OpenRoot(dir); err != nil {
		return fmt.Errorf("files: %w", err)
	}
	return nil
}

// ReadFile returns the content of a file in the folder. Its errors are for the
// model and name no path outside it.
func (f *Files) ReadFile(name string) ([]byte, error) {
	if len(f.Extensions) > 0 && !slices.Contains(f.Extensions, strings.ToLower(filepath.Ext(name))) {
		return nil, fmt.Errorf("file '%s' cannot be read: its name must end in %s", name, strings.Join(f.Extensions, ", "))
	}
	// A pipe that nobody writes to would be waited for until it is.
	file, err := f.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, fileError(name, err)
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return nil, fmt.Errorf("file '%s' cannot be read: it is not a regular file", name)
	}
	data, err := io.ReadAll(io.LimitReader(file, f.MaxSize+1))
	if err != nil {
		return nil, fileError(name, err)
	}
	if int64(len(data)) > f.MaxSize {
		return nil, fmt.Errorf("file '%s' is larger than the %d bytes allowed", name, f.MaxSize)
	}
	return data, nil
}

func fileError(name string, err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("file '%s' does not exist in the server's folder for files", name)
	}
	return fmt.Errorf("file '%s' cannot be read: it must lie in the server's folder for files", name)
}
