package refapi

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"sync/atomic"
)

// A Store keeps data in a JSON file, or in memory if it has none. It is safe
// for concurrent use, but no two stores may share a file.
type Store[T any] struct {
	file    string
	check   func(*T) error
	writing sync.Mutex
	now     atomic.Pointer[snapshot[T]]
}

// A snapshot is data that nobody changes any more, and its JSON.
type snapshot[T any] struct {
	data *T
	raw  []byte
}

// Open reads the file, which has no fields but those of T, or makes it with
// the seed if it does not exist. What is the data in words, such as
// "a pantry"; check finds what an edited file may lack.
func Open[T any](file, what string, check func(*T) error, seed func() *T) (*Store[T], error) {
	s := &Store[T]{file: file, check: check}
	if file != "" {
		raw, err := os.ReadFile(file)
		if err == nil {
			data, err := s.decode(raw)
			if err != nil {
				return nil, fmt.Errorf("%s does not hold %s: %w", file, what, err)
			}
			s.now.Store(&snapshot[T]{data, raw})
			return s, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
	}
	return s, s.save(seed())
}

// Read returns the data as they are, for reading only.
func (s *Store[T]) Read() *T { return s.now.Load().data }

// Update runs change on a copy of the data, and keeps the copy unless change
// fails or the file cannot be written. The copy is made as Open reads a file.
// One update runs at a time.
func (s *Store[T]) Update(change func(*T) error) error {
	s.writing.Lock()
	defer s.writing.Unlock()
	data, err := s.decode(s.now.Load().raw)
	if err != nil {
		return err
	}
	if err := change(data); err != nil {
		return err
	}
	return s.save(data)
}

// save makes these the data, in the file first. Equal data are not written
// again.
func (s *Store[T]) save(data *T) error {
	raw, err := json.MarshalIndent(data, "", "  ")
	if err != nil {
		return err
	}
	raw = append(raw, '\n')
	if old := s.now.Load(); old != nil && bytes.Equal(old.raw, raw) {
		return nil
	}
	if s.file != "" {
		if err := replaceFile(s.file, raw); err != nil {
			return err
		}
	}
	s.now.Store(&snapshot[T]{data, raw})
	return nil
}

func (s *Store[T]) decode(raw []byte) (*T, error) {
	data := new(T)
	dec := json.NewDecoder(bytes.NewReader(raw))
	dec.DisallowUnknownFields()
	if err := dec.Decode(data); err != nil {
		return nil, err
	}
	return data, s.check(data)
}

// replaceFile writes a file whole or not at all.
func replaceFile(name string, content []byte) error {
	tmp, err := os.CreateTemp(filepath.Dir(name), filepath.Base(name)+".*")
	if err != nil {
		return err
	}
	_, err = tmp.Write(content)
	err = errors.Join(err, tmp.Sync(), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), name)
	}
	if err != nil {
		os.Remove(tmp.Name())
	}
	return err
}
