package io.dht4j.examples.library;

import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;

/** Books over HTTP. */
@RestController
public class BookController {
    private final Catalogue catalogue;

    /** Creates the controller. */
    public BookController(Catalogue catalogue) {
        this.catalogue = catalogue;
    }

    /** Returns a book. */
    @GetMapping("/books/{isbn}")
    public Book find(@PathVariable String isbn) {
        return catalogue.find(isbn);
    }

    /** Forgets a book. */
    @DeleteMapping("/books/{isbn}")
    public void forget(@PathVariable String isbn) {
        catalogue.forget(isbn);
    }
}
