#include <vector>
#include "shape.hpp"

namespace geo::plane {

using Points = std::vector<Point>;
enum class Fill { None, Solid };

/// A polygon with straight sides.
template <typename T>
class Polygon : public Shape {
public:
    Polygon() = default;
    ~Polygon() override {}
    T area() const { return area_; }
    bool operator==(const Polygon& other) const { return area_ == other.area_; }
private:
    T area_;
};

template <typename T>
T perimeter(const Polygon<T>& p) { return T{}; }

int Grid<int>::cells() const { return 3; }
Grid<int>::~Grid() {}
struct Size { int w, h; };
}  // namespace geo::plane

extern "C" {
int plane_version(void) { return 3; }
}
