package io.dht4j.examples.cli;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;

/** Failures in words for the user. */
final class Messages {

    private Messages() {}

    /** The file system's exceptions have the bare path as their message: says what is wrong with it. */
    static String of(IOException e) {
        if (e instanceof NoSuchFileException) {
            return "there is no file " + e.getMessage();
        }
        if (e instanceof AccessDeniedException) {
            return "no permission for " + e.getMessage();
        }
        if (e instanceof FileSystemException f && f.getReason() == null) {
            return "cannot use " + e.getMessage();
        }
        return e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage();
    }
}
