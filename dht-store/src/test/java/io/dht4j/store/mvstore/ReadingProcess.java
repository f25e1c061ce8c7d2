package io.dht4j.store.mvstore;

import io.dht4j.Key;
import io.dht4j.StoreProblem;
import java.nio.file.Path;
import java.util.List;

/**
 * Opens a store with the default options, merges its log, and prints how many of some keys it has, or why it cannot.
 */
final class ReadingProcess {

    private ReadingProcess() {}

    static Key key(int number) {
        return Key.of("key-" + number);
    }

    public static void main(String[] arguments) {
        int keys = Integer.parseInt(arguments[1]);
        try (MvStore store = MvStore.open(Path.of(arguments[0]), MvStoreOptions.defaults())) {
            store.settle();
            int found = 0;
            for (int i = 0; i < keys; i++) {
                found += store.get(key(i)).isPresent() ? 1 : 0;
            }
            List<StoreProblem> problems = store.problems();
            System.out.println(problems.isEmpty() ? "found " + found : problems.toString());
        } catch (RuntimeException | OutOfMemoryError e) {
            System.out.println(e);
        }
    }
}
