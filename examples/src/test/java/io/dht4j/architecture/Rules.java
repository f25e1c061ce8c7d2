package io.dht4j.architecture;

import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAPackage;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.fields;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.AccessTarget.CodeUnitAccessTarget;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.domain.JavaParameterizedType;
import com.tngtech.archunit.core.domain.JavaType;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.lang.ConditionEvents;
import com.tngtech.archunit.lang.SimpleConditionEvent;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;
import java.util.AbstractCollection;
import java.util.AbstractMap;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Random;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.Timer;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ForkJoinPool;
import java.util.concurrent.Future;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.Predicate;
import java.util.stream.Stream;

/**
 * The rules of the architecture, for the packages below a root. The root is a parameter, so that tests can apply each
 * rule to small classes that break it.
 */
final class Rules {

    private static final String[] JDK = {"java..", "javax.naming..", "javax.net.ssl..", "javax.security.auth.."};
    private static final String[] WRAPPED = {"io.vertx..", "io.netty..", "one.nio..", "io.grpc..", "org.h2.."};

    private final String root;

    Rules(String root) {
        this.root = root;
    }

    private String in(String subpackage) {
        return root + "." + subpackage + "..";
    }

    private String[] api() {
        return new String[] {root, root + ".spi"};
    }

    /** Returns every rule by its name. */
    Map<String, ArchRule> all() {
        Map<String, ArchRule> rules = new LinkedHashMap<>();
        rules.put("the API depends on nothing but the JDK", dependsOnlyOn(api()));
        rules.put(
                "the core depends on the API, a hashing library and SLF4J",
                dependsOnlyOn(new String[] {in("core")}, "com.dynatrace.hash4j..", "org.slf4j.."));
        rules.put(
                "the memory store depends on the API only",
                dependsOnlyOn(new String[] {in("store.memory")}, "org.slf4j.."));
        rules.put(
                "the durable store depends on the API and MVStore",
                dependsOnlyOn(
                        new String[] {in("store.mvstore")},
                        in("store.log"),
                        "org.h2..",
                        "com.github.benmanes.caffeine..",
                        "org.slf4j.."));
        rules.put(
                "the log of hints depends on the API only",
                dependsOnlyOn(new String[] {in("store.hints")}, in("store.log"), "org.slf4j.."));
        rules.put(
                "what transports share depends on the API only",
                dependsOnlyOn(
                        new String[] {in("security"), in("transport.common")}, "com.sun.management..", "org.slf4j.."));
        rules.put(
                "the HTTP transport depends on the API and Vert.x",
                dependsOnlyOn(
                        new String[] {root + ".transport.http", in("transport.http.internal")},
                        in("security"),
                        in("transport.common"),
                        "io.vertx.core..",
                        "io.netty..",
                        "com.fasterxml.jackson.core..",
                        "org.slf4j.."));
        rules.put(
                "the further HTTP clients depend on what peers share, Vert.x and one-nio",
                dependsOnlyOn(
                        new String[] {in("transport.http.clients")},
                        in("transport.common.options"),
                        root + ".transport.http",
                        in("transport.http.internal.peer"),
                        "io.vertx..",
                        "one.nio..",
                        "org.slf4j.."));
        rules.put(
                "Netty's own classes stay in one package",
                noClasses()
                        .that()
                        .resideOutsideOfPackage(root + ".transport.http.internal.netty")
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("io.netty.."));
        rules.put(
                "the gRPC transport depends on the API and gRPC",
                dependsOnlyOn(
                        new String[] {in("transport.grpc")},
                        in("security"),
                        in("transport.common"),
                        in("v1"),
                        "io.grpc..",
                        "com.google.protobuf..",
                        "com.google.rpc..",
                        "com.sun.management..",
                        "org.slf4j.."));
        rules.put(
                "the gRPC transport of peers needs no protobuf",
                noClasses()
                        .that()
                        .resideInAnyPackage(root + ".transport.grpc", in("transport.grpc.internal"))
                        .should()
                        .dependOnClassesThat()
                        .resideInAnyPackage("com.google.protobuf..", root + ".v1..")
                        .allowEmptyShould(true));
        rules.put(
                "the testkit depends on the API and test libraries",
                dependsOnlyOn(
                        new String[] {in("testkit")},
                        "com.fasterxml.jackson.core..",
                        "org.junit.jupiter..",
                        "org.assertj..",
                        "org.awaitility..",
                        "org.bouncycastle..",
                        "org.slf4j..",
                        "com.sun.management.."));
        rules.put(
                "the example of a transport of one's own depends on the API only",
                dependsOnlyOn(new String[] {in("examples.transport")}, "org.slf4j.."));
        rules.put("Vert.x and Netty stay in the HTTP transport", staysIn("transport.http", "io.vertx..", "io.netty.."));
        rules.put("one-nio stays in the further HTTP clients", staysIn("transport.http.clients", "one.nio.."));
        rules.put("gRPC stays in the gRPC transport", staysIn("transport.grpc", "io.grpc.."));
        rules.put("MVStore stays in the durable store", staysIn("store.mvstore", "org.h2.."));
        rules.put("no wrapped library is in a public signature", wrappedLibrariesAreNotInPublicSignatures());
        rules.put("no package cycles", noPackageCycles());
        rules.put("nobody uses another module's internals", internalsAreTheirModulesOwn());
        rules.put("core takes time, chance and threads from its environment", coreUsesItsEnvironment());
        rules.put("stores take no shortcuts to threads that are not theirs", noSharedPools());
        rules.put("no mutable statics", noMutableStatics());
        rules.put("no service loader", noServiceLoader());
        rules.put("store threads are never interrupted", storeThreadsAreNotInterrupted());
        return rules;
    }

    private ArchRule dependsOnlyOn(String[] packages, String... besides) {
        List<String> allowed = new ArrayList<>(List.of(JDK));
        allowed.add("org.jspecify.annotations..");
        allowed.addAll(List.of(api()));
        allowed.addAll(List.of(packages));
        allowed.addAll(List.of(besides));
        return classes()
                .that()
                .resideInAnyPackage(packages)
                .should()
                .onlyDependOnClassesThat(
                        resideInAnyPackage(allowed.toArray(String[]::new)).or(primitivesAndTheirArrays()))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> primitivesAndTheirArrays() {
        return DescribedPredicate.describe(
                "primitives", type -> type.getBaseComponentType().isPrimitive());
    }

    private ArchRule staysIn(String module, String... libraries) {
        return noClasses()
                .that()
                .resideOutsideOfPackage(in(module))
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage(libraries);
    }

    private static ArchRule wrappedLibrariesAreNotInPublicSignatures() {
        return classes()
                .that()
                .arePublic()
                .and()
                .resideOutsideOfPackage("..internal..")
                .should(new ArchCondition<>("have no wrapped library in what others see of them") {
                    @Override
                    public void check(JavaClass type, ConditionEvents events) {
                        Stream.concat(type.getSuperclass().stream(), type.getInterfaces().stream())
                                .forEach(parent -> report(type, type.getFullName(), parent, events));
                        for (JavaMember member : type.getMembers()) {
                            if (isVisible(member)) {
                                typesOf(member).forEach(part -> report(type, member.getFullName(), part, events));
                            }
                        }
                    }
                });
    }

    private static boolean isVisible(JavaMember member) {
        Set<JavaModifier> modifiers = member.getModifiers();
        return modifiers.contains(JavaModifier.PUBLIC) || modifiers.contains(JavaModifier.PROTECTED);
    }

    private static Stream<JavaType> typesOf(JavaMember member) {
        if (member instanceof JavaCodeUnit code) {
            return Stream.of(
                            Stream.of(code.getReturnType()),
                            code.getParameterTypes().stream(),
                            code.getExceptionTypes().stream().map(JavaType.class::cast))
                    .flatMap(types -> types);
        }
        return Stream.of(((JavaField) member).getType());
    }

    private static void report(JavaClass type, String where, JavaType part, ConditionEvents events) {
        DescribedPredicate<JavaClass> wrapped = resideInAnyPackage(WRAPPED);
        for (JavaClass involved : part.getAllInvolvedRawTypes()) {
            if (wrapped.test(involved.getBaseComponentType())) {
                events.add(SimpleConditionEvent.violated(
                        type,
                        where + " shows " + involved.getName()
                                + (part instanceof JavaParameterizedType ? " within a generic type" : "")));
            }
        }
    }

    private ArchRule noPackageCycles() {
        return slices().assignedFrom(new SliceAssignment() {
                    @Override
                    public SliceIdentifier getIdentifierOf(JavaClass type) {
                        return resideInAPackage(root + "..").test(type)
                                ? SliceIdentifier.of(type.getPackageName())
                                : SliceIdentifier.ignore();
                    }

                    @Override
                    public String getDescription() {
                        return "packages";
                    }
                })
                .should()
                .beFreeOfCycles();
    }

    private static ArchRule internalsAreTheirModulesOwn() {
        return classes().should(new ArchCondition<>("not use the internal packages of another module") {
            @Override
            public void check(JavaClass type, ConditionEvents events) {
                type.getDirectDependenciesFromSelf().forEach(dependency -> {
                    String target = dependency.getTargetClass().getPackageName() + ".";
                    int internal = target.indexOf(".internal.");
                    if (internal >= 0
                            && target.startsWith("io.dht4j.")
                            && !(type.getPackageName() + ".").startsWith(target.substring(0, internal + 1))) {
                        events.add(SimpleConditionEvent.violated(type, dependency.getDescription()));
                    }
                });
            }
        });
    }

    private ArchRule coreUsesItsEnvironment() {
        return noClasses()
                .that()
                .resideInAPackage(in("core"))
                .and(areNotPartOf(root + ".core.SystemEnvironment"))
                .should()
                .accessTargetWhere(access(
                        "reads a clock, makes or stops a thread, rolls its own dice, or leaves a task to a "
                                + "thread that is"
                                + " not the environment's",
                        Rules::goesAroundTheEnvironment))
                .orShould()
                .dependOnClassesThat(DescribedPredicate.describe(
                        "are timers, pools or sources of chance of their own",
                        type -> type.isEquivalentTo(Timer.class)
                                || type.isEquivalentTo(Executors.class)
                                || type.isEquivalentTo(ThreadLocalRandom.class)
                                || type.isAssignableTo(Random.class)
                                || type.isAssignableTo(ExecutorService.class)))
                .allowEmptyShould(true);
    }

    private static DescribedPredicate<JavaClass> areNotPartOf(String name) {
        return DescribedPredicate.describe(
                "are not part of " + name,
                type -> !type.getName().equals(name) && !type.getName().startsWith(name + "$"));
    }

    private static DescribedPredicate<JavaAccess<?>> access(String description, Predicate<JavaAccess<?>> predicate) {
        return DescribedPredicate.describe(description, predicate);
    }

    private static boolean goesAroundTheEnvironment(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        if (owner.isEquivalentTo(System.class)) {
            return Set.of("nanoTime", "currentTimeMillis").contains(name);
        }
        if (owner.isEquivalentTo(Math.class)) {
            return name.equals("random");
        }
        if (owner.isAssignableTo(Thread.class)) {
            // Thread.currentThread().interrupt() restores an interrupt and is allowed.
            return !Set.of("currentThread", "interrupt").contains(name);
        }
        if (owner.getPackageName().equals("java.time")) {
            return name.equals("now") || name.startsWith("system");
        }
        if (owner.isEquivalentTo(UUID.class)) {
            return name.equals("randomUUID");
        }
        return usesASharedPool(access);
    }

    private static boolean usesASharedPool(JavaAccess<?> access) {
        JavaClass owner = access.getTargetOwner();
        String name = access.getTarget().getName();
        if (owner.isEquivalentTo(ForkJoinPool.class)) {
            return true;
        }
        if (owner.isAssignableTo(Collection.class) && name.equals("parallelStream")) {
            return true;
        }
        if (!owner.isAssignableTo(CompletionStage.class)) {
            return false;
        }
        if (Set.of("orTimeout", "completeOnTimeout", "delayedExecutor").contains(name)) {
            return true;
        }
        return name.endsWith("Async") && !takesAnExecutor(access);
    }

    private static boolean takesAnExecutor(JavaAccess<?> access) {
        return access.getTarget() instanceof CodeUnitAccessTarget target
                && target.getRawParameterTypes().stream().anyMatch(type -> type.isEquivalentTo(Executor.class));
    }

    private ArchRule noSharedPools() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("store"), in("transport"))
                .should()
                .accessTargetWhere(access("leaves a task to a shared pool or timer", Rules::usesASharedPool))
                .allowEmptyShould(true);
    }

    private static ArchRule noMutableStatics() {
        DescribedPredicate<JavaField> isStatic = DescribedPredicate.describe(
                "are static and not made by the compiler",
                field -> field.getModifiers().contains(JavaModifier.STATIC)
                        && !field.getModifiers().contains(JavaModifier.SYNTHETIC)
                        && !field.getName().startsWith("$"));
        return fields().that(isStatic).should(new ArchCondition<>("be final and of a type that does not change") {
            @Override
            public void check(JavaField field, ConditionEvents events) {
                if (!field.getModifiers().contains(JavaModifier.FINAL)) {
                    events.add(SimpleConditionEvent.violated(field, field.getFullName() + " is not final"));
                } else if (isMutable(field.getRawType())) {
                    events.add(SimpleConditionEvent.violated(
                            field,
                            field.getFullName() + " holds something that changes: "
                                    + field.getRawType().getName()));
                }
            }
        });
    }

    /** Judges by the type alone: a {@code List} may be immutable. */
    private static boolean isMutable(JavaClass type) {
        // An updater has no state of its own.
        return (type.getPackageName().equals("java.util.concurrent.atomic")
                        && !type.getName().endsWith("FieldUpdater"))
                || type.isAssignableTo(AbstractCollection.class)
                || type.isAssignableTo(AbstractMap.class)
                || type.isAssignableTo(ConcurrentMap.class)
                || type.isAssignableTo(Queue.class)
                || type.isAssignableTo(ThreadLocal.class)
                || type.isAssignableTo(StringBuilder.class)
                || type.isAssignableTo(Executor.class)
                || type.isAssignableTo(CompletableFuture.class);
    }

    private static ArchRule noServiceLoader() {
        return noClasses().should().dependOnClassesThat().areAssignableTo(ServiceLoader.class);
    }

    private ArchRule storeThreadsAreNotInterrupted() {
        return noClasses()
                .that()
                .resideInAnyPackage(in("core"), in("store"))
                .and(areNotPartOf(root + ".core.SystemEnvironment"))
                .should()
                .accessTargetWhere(access("stops threads that may be within a store", access -> {
                    JavaClass owner = access.getTargetOwner();
                    String name = access.getTarget().getName();
                    return (owner.isAssignableTo(ExecutorService.class) && name.equals("shutdownNow"))
                            || (owner.isAssignableTo(Future.class)
                                    && !owner.isAssignableTo(CompletableFuture.class)
                                    && name.equals("cancel"));
                }))
                .allowEmptyShould(true);
    }
}
