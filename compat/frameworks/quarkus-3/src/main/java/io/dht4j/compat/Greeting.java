package io.dht4j.compat;

import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;

/** Answers one request. */
@Path("/hello")
public class Greeting {
    /** Greets. */
    @GET
    @Produces("text/plain")
    public String hello() {
        return "hello";
    }
}
