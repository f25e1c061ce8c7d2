// tag::cacheable[]
package io.dht4j.examples.library;

import java.util.concurrent.atomic.AtomicInteger;
import org.springframework.cache.annotation.CacheEvict;
import org.springframework.cache.annotation.Cacheable;
import org.springframework.stereotype.Service;

/** Finds books. All instances of the application share what one of them has found. */
@Service
public class Catalogue {
    private final AtomicInteger searches = new AtomicInteger();

    /** Finds a book, by a search that takes long. */
    @Cacheable(cacheNames = "books", sync = true)
    public Book find(String isbn) {
        searches.incrementAndGet();
        return new Book(isbn, "Book " + isbn);
    }

    /** Forgets a book in all instances. */
    @CacheEvict("books")
    public void forget(String isbn) {}

    /** Returns how often this instance has searched. */
    public int searches() {
        return searches.get();
    }
}
// end::cacheable[]
