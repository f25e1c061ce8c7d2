package io.dht4j.spi;

import java.io.IOException;
import java.nio.charset.CharacterCodingException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;

/**
 * Describes failures of files for readers of error messages, since the file system's exceptions often have only the
 * path as their message.
 */
public final class FileFailure {

    private FileFailure() {}

    /**
     * Describes why a file or directory could not be used. Does not block.
     *
     * @param failure the exception; its causes are not searched
     * @return a phrase that names the path where the exception has one, for example {@code no permission for /data/n1};
     *     the message of another {@code IOException} or of a {@link StoreException}, and the text of an exception of
     *     another kind
     */
    public static String inWords(Throwable failure) {
        if (failure instanceof CharacterCodingException) {
            return "its text is not UTF-8";
        }
        if (!(failure instanceof FileSystemException e) || e.getFile() == null) {
            String message = failure.getMessage();
            boolean isSentence = failure instanceof IOException || failure instanceof StoreException;
            return isSentence && message != null ? message : failure.toString();
        }
        String file = e.getFile();
        if (e instanceof AccessDeniedException) {
            return "no permission for " + file;
        }
        if (e instanceof NoSuchFileException) {
            return file + " does not exist";
        }
        if (e instanceof NotDirectoryException) {
            return file + " is not a directory";
        }
        if (e instanceof FileAlreadyExistsException) {
            return file + " exists already";
        }
        return e.getReason() == null ? "cannot use " + file : e.getReason() + ": " + file;
    }
}
